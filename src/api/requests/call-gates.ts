/**
 * What surfaces that make calls do around a body: the gates decide before a large body is read (ADR 0070), and the
 * input of a refused body is checked as well.
 */
import type { Request } from 'express';
import type { FieldProblem } from '../../domain/errors';
import type { SchemaCheck } from '../../kit/schemas/compiled-schemas';
import type { AnnouncedCall, CallGate } from '../../services/calls/call-gate';
import type { InputCheck } from '../../services/calls/agent/input-check';
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
  ({ params, ...rest }: Announced & { params: { agent_id: string } }): Promise<SchemaCheck | null> =>
    gate.agent(params.agent_id, callOf(rest));

/** The gate of operations with `owner` and `slug` in their path. */
export const slugGate =
  (gate: CallGate) =>
  ({
    params,
    ...rest
  }: Announced & { params: { owner: string; slug: string } }): Promise<SchemaCheck | null> =>
    gate.slug(params.owner, params.slug, callOf(rest));

interface Refused {
  params: object;
  principal: Principal;
  agentId: string | undefined;
  input: Buffer;
}

/** What the agent of a path, or else of the body, refuses in the input of a refused body. */
export const inputProblemsOf =
  (check: InputCheck) =>
  async ({ params, principal: { userId }, agentId: named, input }: Refused): Promise<FieldProblem[]> => {
    const agentId = 'agent_id' in params ? String(params.agent_id) : named;
    return agentId === undefined ? [] : check.ofAgent({ agentId, userId, input });
  };
