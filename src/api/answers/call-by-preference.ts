import type { Request, Response } from 'express';
import type { InvokeEngine } from '../../engine/invoke';
import type { InvocationViews } from '../../services/calls/invocation-views';
import type { InvokeRequest } from '../../services/calls/invocations';
import { asyncPreferenceOf } from '../requests/prefer';
import { invocationDetailView } from '../views/calls';
import { Answer, HANDLED } from './answer';
import { answerCall } from './answer-call';
import { holdJsonFor } from './large-pieces';

export interface PreferenceDeps {
  engine: Pick<InvokeEngine, 'invoke' | 'begin'>;
  invocationViews: Pick<InvocationViews, 'get'>;
}

/**
 * Makes a call as its caller prefers (RFC 7240): the response waits for the answer or, with `Prefer: respond-async`,
 * for as long as `wait` says, and then is 202 with the address of the call. Without it, a job is answered so after 25
 * s. A call that a mandate of another account pays is answered when it has ended, because only the payer can read it at
 * its address.
 */
export async function callByPreference(
  { engine, invocationViews }: PreferenceDeps,
  request: InvokeRequest,
  { req, res, userId }: { req: Request; res: Response; userId: string },
) {
  if (request.buyerUserId !== userId) {
    answerCall(res, await engine.invoke(request));
    return HANDLED;
  }
  const preference = asyncPreferenceOf(req);
  const call = await engine.begin(request, preference?.waitMs);
  if ('usage' in call) {
    answerCall(res, call);
    return HANDLED;
  }
  const { invocationId } = call;
  const shown = await invocationViews.get(userId, invocationId);
  return new Answer(invocationDetailView(shown, holdJsonFor(res)), {
    status: 202,
    headers: {
      Location: `/v1/invocations/${invocationId}`,
      ...(preference && { 'Preference-Applied': preference.applied }),
      'Retry-After': '1',
    },
  });
}
