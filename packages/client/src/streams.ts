import type { components } from './api-types.d.ts';
import { errorOf, keyOf, MarketApiError } from './errors.ts';
import { serverEvents } from './events.ts';
import { pause } from './pause.ts';
import type { MarketEvent } from './webhooks.ts';

type Schemas = components['schemas'];

/** Events of a chat turn. `done` is the last one; a failed turn throws `MarketApiError`. */
export type ChatEvent =
  | { type: 'output_chunk'; chunk: string }
  | { type: 'usage'; usage: Schemas['Usage'] }
  | {
      type: 'done';
      invocation_id: string;
      trace_id: string;
      usage: Schemas['Usage'];
      session_id: string;
      truncated?: true;
    };

/** An event of the account, as its webhooks would receive it, with its id. */
export type AccountEvent = MarketEvent & { id: string };

/** Yields the events of a turn, up to `done`. Throws `MarketApiError` when the turn fails or the stream is cut. */
export async function* chatEvents(
  response: Response,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ChatEvent> {
  for await (const { data } of serverEvents(body)) {
    const event = jsonOf<ChatEvent | ({ type: 'error' } & Schemas['Error'])>(data, response);
    if (event.type === 'error') throw errorOf(response, event);
    yield event;
    if (event.type === 'done') return;
  }
  throw cut(response, 'The stream ended before the turn did: read the call in GET /v1/invocations.');
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The service sends a comment every 15 s: a longer silence is a lost connection. */
export const EVENT_SILENCE_MS = 60_000;

/**
 * Yields the events of the account, without end. `open` starts a stream behind a position; it is called again when a
 * stream has ended. Throws `MarketApiError` if the service refuses.
 */
export async function* accountEvents(
  open: (after: string | undefined) => Promise<{ response: Response; body: ReadableStream<Uint8Array> }>,
  options: { after?: string | undefined; signal?: AbortSignal | undefined },
): AsyncGenerator<AccountEvent> {
  let position = options.after;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const { response, body } = await open(position);
      for await (const { id, name, data } of serverEvents(body)) {
        position = id ?? position;
        pauseMs = FIRST_PAUSE_MS;
        if (name !== 'ready') yield jsonOf<AccountEvent>(data, response);
      }
    } catch (error) {
      if (!(error instanceof MarketApiError && error.retryable)) throw error;
    }
    await pause(pauseMs, options.signal);
  }
}

function jsonOf<T>(data: string, response: Response): T {
  try {
    return JSON.parse(data) as T;
  } catch (cause) {
    throw cut(response, 'The stream has an event that is not JSON.', cause);
  }
}

function cut(response: Response, message: string, cause?: unknown): MarketApiError {
  return new MarketApiError({
    status: 0,
    code: 'unreachable',
    message,
    retryable: true,
    traceId: response.headers.get('x-trace-id') ?? undefined,
    idempotencyKey: keyOf(response),
    cause,
  });
}
