import type { Response } from 'express';
import type { CompletedCall } from '../../engine/invoke';
import { usageView } from '../views/calls';
import { whenClosed } from '../identity/context';
import { REPLAYED_HEADERS } from './replayed';

/**
 * Writes the response of a call (contract, "Invocation"). The output is JSON text already, so it is written between the
 * other fields instead of being parsed again.
 */
export function answerCall(res: Response, call: CompletedCall): void {
  const { plain } = call;
  const rest = JSON.stringify({
    ...(plain && { content_type: plain.contentType }),
    ...(plain?.isBase64 && { output_encoding: 'base64' }),
    usage: usageView(call.usage),
    trace_id: call.traceId,
    invocation_id: call.invocationId,
    ...(call.output === null ? { output_expired: true } : {}),
    ...(call.truncatedBy && { truncated: true }),
  });
  const output = call.output ?? Buffer.from('null');
  reportDelivery(res, call);
  if (call.replayed) res.set(REPLAYED_HEADERS);
  res.status(200).type('application/json');
  res.end(Buffer.concat([Buffer.from('{"output":'), output, Buffer.from(`,${rest.slice(1)}`)]));
}

/** Reports, when the response has ended, whether all of it was written to the client's connection. */
export function reportDelivery(res: Response, { served }: Pick<CompletedCall, 'served'>): void {
  if (served) whenClosed(res, () => served(res.writableFinished));
}
