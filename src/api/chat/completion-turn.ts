/** A turn in the shape of OpenAI's chat completions, as one document or as a stream of chunks (ADR 0301). */
import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';
import { drained, startEventStream } from '../answers/sse';
import { clientGone } from '../identity/context';
import { completionError } from './completion-errors';
import type { TurnForm } from './turn';

interface CompletionOptions {
  res: Response;
  traceId: string;
  /** As the client named it. */
  model: string;
}

const DONE = Buffer.from('[DONE]');

/** What every chunk and every completion begins with. */
function headOf({ traceId, model }: CompletionOptions, object: string) {
  return { id: `chatcmpl-${traceId}`, object, created: Math.floor(Date.now() / 1_000), model };
}

function usageOf({ usage: { tokensIn, tokensOut } }: CompletedCall) {
  return { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut };
}

/** What the market adds to the last part of a completion. */
function marketOf(call: CompletedCall, sessionId: string) {
  return {
    invocation_id: call.invocationId,
    trace_id: call.traceId,
    credits_charged: call.usage.chargedCredits,
    session_id: sessionId,
    ...(call.output === null && { output_expired: true as const }),
  };
}

const finishOf = ({ truncatedBy }: CompletedCall) => (truncatedBy ? 'length' : 'stop');

/** The stream of `stream: true`. `hasUsage`: one more chunk with the usage, before `[DONE]`. */
export function completionStream(options: CompletionOptions & { hasUsage: boolean }): TurnForm {
  const { res, traceId, hasUsage } = options;
  const stream = startEventStream(res);
  const head = headOf(options, 'chat.completion.chunk');
  let role: { role?: 'assistant' } = { role: 'assistant' };
  const chunk = (content: string | undefined, finish: string | null, more: object = {}) => {
    const delta = { ...role, ...(content !== undefined && { content }) };
    role = {};
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return stream.send({ ...head, choices, ...(hasUsage && { usage: null }), ...more });
  };
  return {
    closed: stream.closed,
    streams: true,
    get begun() {
      return stream.begun;
    },
    begin: (headers) => stream.begin(headers),
    piece: (text) => chunk(text, null),
    end(call, sessionId) {
      void chunk(undefined, finishOf(call), { market: marketOf(call, sessionId) });
      if (hasUsage) void stream.send({ ...head, choices: [], usage: usageOf(call) });
      stream.end(DONE);
    },
    fail(error) {
      void stream.send(completionError(error, traceId));
      stream.end(DONE);
    },
  };
}

/** The document of a completion, written once the call is paid: its text in pieces, so that no large one is copied. */
export function completionDocument(options: CompletionOptions): TurnForm {
  const { res } = options;
  const head = headOf(options, 'chat.completion');
  const closed = clientGone(res);
  let hasText = false;

  function open(): void {
    if (hasText) return;
    hasText = true;
    const start = JSON.stringify({ ...head, choices: [] }).slice(0, -2);
    res.status(200).type('application/json');
    res.write(`${start}{"index":0,"message":{"role":"assistant","refusal":null,"content":"`);
  }

  return {
    closed,
    streams: false,
    get begun() {
      return hasText;
    },
    begin: (headers) => void res.set(headers),
    async piece(text) {
      open();
      if (!res.write(JSON.stringify(text).slice(1, -1))) await drained(res);
    },
    end(call, sessionId) {
      const finish = `"logprobs":null,"finish_reason":"${finishOf(call)}"}]`;
      const last = JSON.stringify({ usage: usageOf(call), market: marketOf(call, sessionId) }).slice(1);
      if (call.output !== null) open();
      if (hasText) return void res.end(`"},${finish},${last}`);
      const message = { role: 'assistant', refusal: null, content: null };
      const start = JSON.stringify({ ...head, choices: [] }).slice(0, -2);
      res.status(200).type('application/json');
      res.end(`${start}{"index":0,"message":${JSON.stringify(message)},${finish},${last}`);
    },
    // The call is paid, and its document has begun: what is left of it cannot be sent.
    fail: () => void res.destroy(),
  };
}
