import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { events } from '../../client/events';
import { addressOf } from '../../client/address';
import { ApiError, send, type Answer } from '../../client/http';
import { noteFailure } from '../../client/queries';

export type Receipt = Pick<
  Answer<'/v1/agents/{agent_id}/invoke', 'post'>,
  'usage' | 'invocation_id' | 'trace_id'
>;

interface RunState {
  state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  streamed: string;
  output?: unknown;
  receipt?: Receipt;
  error?: unknown;
}

type Piece =
  | { type: 'output_chunk'; chunk: unknown }
  | { type: 'usage'; usage: Receipt['usage'] }
  | ({ type: 'done' } & Receipt)
  | { type: 'error'; error: { code: string; message: string; retryable: boolean }; trace_id: string };

export interface RunRequest {
  agentId: string;
  input: Record<string, unknown>;
  maxCost: number | undefined;
  streams: boolean;
}

/** Calls an agent and follows its answer. A call that got no answer is sent again with the same idempotency key. */
export function useRun() {
  const queries = useQueryClient();
  const [run, setRun] = useState<RunState>({ state: 'idle', streamed: '' });
  const ending = useRef<AbortController | null>(null);

  async function start(request: RunRequest): Promise<void> {
    ending.current = new AbortController();
    setRun({ state: 'running', streamed: '' });
    try {
      await (request.streams
        ? stream(request, ending.current.signal)
        : invoke(request, ending.current.signal));
    } catch (error) {
      noteFailure(error);
      if (!ending.current.signal.aborted) setRun((before) => ({ ...before, state: 'failed', error }));
      else setRun((before) => ({ ...before, state: 'stopped' }));
    }
    void queries.invalidateQueries({ queryKey: ['/v1/billing/balance'] });
    void queries.invalidateQueries({ queryKey: ['/v1/invocations'] });
  }

  async function invoke({ agentId, input, maxCost }: RunRequest, signal: AbortSignal) {
    const body = {
      input,
      ...(maxCost === undefined ? {} : { max_cost_credits: maxCost }),
      idempotency_key: crypto.randomUUID(),
    };
    const once = () =>
      send('post', '/v1/agents/{agent_id}/invoke', { path: { agent_id: agentId }, body, signal });
    const answer = await once().catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'network') return once();
      throw error;
    });
    setRun({ state: 'done', streamed: '', output: answer.output, receipt: answer });
  }

  async function stream({ agentId, input, maxCost }: RunRequest, signal: AbortSignal) {
    const body = {
      messages: input['messages'],
      ...(maxCost === undefined ? {} : { max_cost_credits: maxCost }),
    };
    for await (const piece of events<Piece>(
      addressOf('/v1/agents/{agent_id}/chat', { agent_id: agentId }),
      body,
      signal,
    )) {
      if (piece.type === 'output_chunk') {
        const text = typeof piece.chunk === 'string' ? piece.chunk : JSON.stringify(piece.chunk, null, 2);
        setRun((before) => ({ ...before, streamed: before.streamed + text }));
      }
      if (piece.type === 'done') setRun((before) => ({ ...before, state: 'done', receipt: piece }));
      if (piece.type === 'error')
        throw new ApiError(502, piece.error.code, piece.error.message, piece.trace_id);
    }
  }

  return { run, start, stop: () => ending.current?.abort() };
}
