/** Reading a streamed turn as a client would: events as they come, over fetch. */
import { createParser } from 'eventsource-parser';
import type { TestMarket, TestUser } from '../market';

export interface ChatEvent {
  type: 'output_chunk' | 'usage' | 'error' | 'done';
  chunk?: string;
  usage?: { tokens_in: number; tokens_out: number; duration_ms: number; credits_charged: number };
  error?: { code: string; message: string; retryable: boolean };
  invocation_id?: string;
  trace_id?: string;
  session_id?: string;
  output_expired?: true;
  truncated?: true;
}

export interface ChatReply {
  status: number;
  headers: Headers;
  /** All events, in order; empty when the turn was refused. */
  events: ChatEvent[];
  /** The chunks put together. */
  text: string;
  /** The event that ended the turn. */
  last: ChatEvent | undefined;
  /** The body of a refusal. */
  refusal: {
    error?: { code: string; message?: string };
    detail?: { loc: (string | number)[] }[];
    invocation_id?: string;
  };
}

export interface ChatOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Called for each event; the next event is read after its promise has resolved. */
  onEvent?: (event: ChatEvent) => void | Promise<void>;
  path?: string;
}

export const TURN = { messages: [{ role: 'user', content: 'hello' }] };

/** The schemas of agents in chat tests: any messages in, `{text}` out. */
export const CHAT_SCHEMAS = {
  inputSchema: {
    type: 'object',
    required: ['messages', 'session_id'],
    properties: { messages: { type: 'array' } },
  },
  outputSchema: {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
    additionalProperties: false,
  },
  streaming: true,
};

/** POST /v1/agents/{agent_id}/chat, read to its end. Any line that is no event and no comment fails. */
export async function chat(
  market: Pick<TestMarket, 'url'>,
  buyer: Pick<TestUser, 'cookie'>,
  agentId: string,
  body: unknown = TURN,
  options: ChatOptions = {},
): Promise<ChatReply> {
  const response = await fetch(`${market.url}${options.path ?? `/v1/agents/${agentId}/chat`}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: buyer.cookie, ...options.headers },
    body: JSON.stringify(body),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('text/event-stream')) {
    const refusal = (await response.json()) as ChatReply['refusal'];
    return { status, headers, events: [], text: '', last: undefined, refusal };
  }
  const events: ChatEvent[] = [];
  const read = async () => {
    for await (const event of readEvents(response.body as AsyncIterable<Uint8Array>)) {
      events.push(event);
      await options.onEvent?.(event);
    }
  };
  await Promise.race([read(), left(options.signal)]);
  const text = events.map((event) => event.chunk ?? '').join('');
  return { status, headers, events, text, last: events.at(-1), refusal: {} };
}

/** Rejects when the caller leaves: a body whose request is aborted while its last bytes arrive may never end. */
function left(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('the caller left')), { once: true });
  });
}

export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChatEvent> {
  let events: ChatEvent[] = [];
  const parser = createParser({
    onEvent: (event) => {
      if (event.event !== undefined || event.id !== undefined)
        throw new Error('an event has a name or an id');
      events.push(JSON.parse(event.data) as ChatEvent);
    },
    onError: (error) => {
      throw error;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    const ready = events;
    events = [];
    yield* ready;
  }
}
