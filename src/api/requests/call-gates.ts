/** The gates of the surfaces that make calls: what is decided before a large body is read (ADR 0070). */
import type { Request } from 'express';
import type { AnnouncedCall, CallGate } from '../../services/calls/call-gate';
import type { Principal } from '../identity/principal';

interface Announced {
  principal: Principal;
  req: Request;
  bytes: number | null;
}

function callOf({ principal, req, bytes }: Announced): AnnouncedCall {
  return { callerUserId: principal.userId, bytes, namesMandate: req.get('x-mandate') !== undefined };
}

/** The gate of operations with an `agent_id` in their path. */
export const agentGate =
  (gate: CallGate) =>
  ({ params, ...rest }: Announced & { params: { agent_id: string } }): Promise<void> =>
    gate.agent(params.agent_id, callOf(rest));

/** The gate of operations with `owner` and `slug` in their path. */
export const slugGate =
  (gate: CallGate) =>
  ({ params, ...rest }: Announced & { params: { owner: string; slug: string } }): Promise<void> =>
    gate.slug(params.owner, params.slug, callOf(rest));
