import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';
import { errorBody } from '../answers/errors';
import { startEventStream } from '../answers/sse';
import { usageView } from '../views/calls';
import type { TurnForm } from './turn';

/** A turn as the market's own events: `output_chunk`, `usage`, and `done` or `error` (contract, "Chat"). */
export function eventTurn(res: Response, traceId: string): TurnForm {
  const stream = startEventStream(res);
  return {
    closed: stream.closed,
    streams: true,
    get begun() {
      return stream.begun;
    },
    begin: (headers) => stream.begin(headers),
    piece: (chunk) => stream.send({ type: 'output_chunk', chunk }),
    end(call: CompletedCall, sessionId) {
      const usage = usageView(call.usage);
      void stream.send({ type: 'usage', usage });
      stream.end({
        type: 'done',
        invocation_id: call.invocationId,
        trace_id: call.traceId,
        usage,
        session_id: sessionId,
        ...(call.output === null && { output_expired: true }),
        ...(call.truncatedBy && { truncated: true }),
      });
    },
    fail: (error) => stream.end({ type: 'error', ...errorBody(error, traceId) }),
  };
}
