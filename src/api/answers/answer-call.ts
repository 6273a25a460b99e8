import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';
import { reportDelivery } from './delivery';

/**
 * Answers a call (contract, "Invocation"). The output is JSON text already: it is written between the other fields
 * instead of being parsed once more.
 */
export function answerCall(res: Response, call: CompletedCall): void {
  const { plain } = call;
  const rest = JSON.stringify({
    ...(plain && { content_type: plain.contentType }),
    ...(plain?.isBase64 && { output_encoding: 'base64' }),
    usage: {
      tokens_in: call.usage.tokensIn,
      tokens_out: call.usage.tokensOut,
      duration_ms: call.usage.durationMs,
      credits_charged: call.usage.chargedCredits,
    },
    trace_id: call.traceId,
    invocation_id: call.invocationId,
    ...(call.output === null ? { output_expired: true } : {}),
  });
  const output = call.output ?? Buffer.from('null');
  reportDelivery(res, call);
  if (call.replayed) res.set('Idempotent-Replayed', 'true');
  res.status(200).type('application/json');
  res.end(Buffer.concat([Buffer.from('{"output":'), output, Buffer.from(`,${rest.slice(1)}`)]));
}
