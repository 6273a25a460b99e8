import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { events } from '../../client/events';
import { addressOf } from '../../client/address';
import { ApiError, networkError, send, type Answer } from '../../client/http';
import { isOutcomeOpen, keyOf, untilKnown } from '../../client/outcome';
import { noteFailure } from '../../client/queries';

export type Receipt = Pick<
  Answer<'/v1/agents/{agent_id}/invoke', 'post'>,
  'usage' | 'invocation_id' | 'trace_id'
>;

interface RunState {
  /** `checking`: the answer was lost, and the same call is asked for again. */
  state: 'idle' | 'running' | 'checking' | 'done' | 'stopped' | 'failed';
  streamed: string;
  /** The input that was sent. */
  input?: Record<string, unknown>;
  output?: unknown;
  /** The call succeeded before, and its answer is no longer stored. */
  isExpired?: boolean;
  receipt?: Receipt;
  error?: unknown;
}

type Piece =
  | { type: 'output_chunk'; chunk: unknown }
  | { type: 'usage'; usage: Receipt['usage'] }
  | ({ type: 'done'; output_expired?: true } & Receipt)
  | {
      type: 'error';
      error: { code: string; message: string; retryable: boolean; agent_message?: string };
      trace_id: string;
      invocation_id?: string;
    };

export interface RunRequest {
  agentId: string;
  input: Record<string, unknown>;
  maxCost: number | undefined;
  streams: boolean;
  /** The offer by which the call is made. */
  quoteId?: string | undefined;
  /** Tests of the answer. */
  accept?: Record<string, unknown> | undefined;
}

function errorOf({ error, trace_id: traceId, invocation_id: id }: Piece & { type: 'error' }): ApiError {
  const call = { id, agentMessage: error.agent_message };
  return new ApiError(502, error.code, error.message, traceId, [], error.retryable, call);
}

/**
 * Calls an agent and follows its answer. A call whose answer was lost is sent again with the same idempotency key until
 * its outcome is known; the key also serves the next attempt with the same input.
 */
export function useRun() {
  const queries = useQueryClient();
  const [run, setRun] = useState<RunState>({ state: 'idle', streamed: '' });
  const ending = useRef<AbortController | null>(null);

  async function start(request: RunRequest): Promise<void> {
    const { signal } = (ending.current = new AbortController());
    setRun({ state: 'running', streamed: '', input: request.input });
    const { key, forget } = keyOf(`call:${request.agentId}`, [
      request.input,
      request.maxCost ?? null,
      ...(request.accept ? [request.accept] : []),
    ]);
    const once = request.streams ? stream : invoke;
    const onDoubt = (error: unknown) => {
      noteFailure(error);
      setRun((before) => ({ ...before, state: 'checking' }));
    };
    try {
      await untilKnown(() => once(request, key, signal), { onDoubt, signal });
      forget();
    } catch (error) {
      noteFailure(error);
      const isStopped = signal.aborted;
      if (isStopped || !isOutcomeOpen(error)) forget();
      setRun((before) => ({ ...before, ...(isStopped ? { state: 'stopped' } : { state: 'failed', error }) }));
    }
    void queries.invalidateQueries({ queryKey: ['/v1/billing/balance'] });
    void queries.invalidateQueries({ queryKey: ['/v1/billing/free-calls'] });
    void queries.invalidateQueries({ queryKey: ['/v1/invocations'] });
  }

  async function invoke(request: RunRequest, key: string, signal: AbortSignal) {
    const { agentId, input, maxCost, quoteId, accept } = request;
    const ceiling = maxCost === undefined ? {} : { max_cost_credits: maxCost };
    const quote = quoteId === undefined ? {} : { quote_id: quoteId };
    const body = { input, ...ceiling, ...quote, ...(accept && { accept }), idempotency_key: key };
    const path = { agent_id: agentId };
    const answer = await send('post', '/v1/agents/{agent_id}/invoke', { path, body, signal });
    const isExpired = 'output_expired' in answer && answer.output_expired === true;
    const got = isExpired ? { isExpired } : { output: answer.output };
    setRun({ state: 'done', streamed: '', input, ...got, receipt: answer });
  }

  async function stream({ agentId, input, maxCost, accept }: RunRequest, key: string, signal: AbortSignal) {
    const ceiling = maxCost === undefined ? {} : { max_cost_credits: maxCost };
    const body = { messages: input['messages'], ...ceiling, ...(accept && { accept }) };
    const address = addressOf('/v1/agents/{agent_id}/chat', { agent_id: agentId });
    let streamed = '';
    for await (const piece of events<Piece>(address, body, signal, { 'Idempotency-Key': key })) {
      if (piece.type === 'output_chunk') {
        streamed += typeof piece.chunk === 'string' ? piece.chunk : JSON.stringify(piece.chunk, null, 2);
        setRun((before) => ({ ...before, streamed }));
      }
      if (piece.type === 'done') {
        const isExpired = piece.output_expired === true;
        return setRun((before) => ({ ...before, state: 'done', isExpired, receipt: piece }));
      }
      if (piece.type === 'error') throw errorOf(piece);
    }
    // A stream ends with `done` or `error`.
    throw networkError();
  }

  return { run, start, stop: () => ending.current?.abort() };
}
