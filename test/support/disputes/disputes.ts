/** Disputes as buyers, developers and operators make them, for tests. */
import type { DisputeReason, DisputeStatus } from '../../../src/domain/disputes/dispute-state';
import { fastForward } from '../../../src/engine/time-travel';
import { invoke, register, type TestMarket, type TestUser } from '../market';
import { request, type Reply } from '../catalogue/publishing';

export interface DisputeView {
  dispute_id: string;
  invocation_id: string;
  agent_id: string;
  status: DisputeStatus;
  resolution: string | null;
  reason: DisputeReason;
  description: string;
  statement: string | null;
  decision_reason: string | null;
  refunded_credits: number;
  opened_at: string;
  respond_by: string | null;
  responded_at: string | null;
  resolved_at: string | null;
  role?: 'buyer' | 'developer';
}

export interface DisputeList {
  items: DisputeView[];
  next_cursor: string | null;
  total: number;
}

type Market = Pick<TestMarket, 'url'>;
type Who = Pick<TestUser, 'cookie'>;

export function dispute(
  market: Market,
  buyer: Who,
  invocationId: string,
  more: Record<string, unknown> = {},
): Promise<Reply<DisputeView>> {
  return request(market, buyer, 'POST', '/v1/billing/disputes', {
    invocation_id: invocationId,
    reason: 'output_incorrect',
    description: 'The answer is wrong.',
    ...more,
  });
}

export const readDispute = (market: Market, who: Who, disputeId: string) =>
  request<DisputeView>(market, who, 'GET', `/v1/billing/disputes/${disputeId}`);

export const respond = (market: Market, developer: Who, disputeId: string, decision: string) =>
  request<DisputeView>(market, developer, 'POST', `/v1/billing/disputes/${disputeId}/respond`, {
    decision,
    statement: 'This is our view.',
  });

export const resolve = (market: Market, operator: Who, disputeId: string, decision: string) =>
  request<DisputeView>(market, operator, 'POST', `/v1/operator/disputes/${disputeId}/resolve`, {
    decision,
    reason: 'We have looked at it.',
  });

/** A successful call; its invocation id. */
export async function succeed(market: Market, buyer: Who, agentId: string): Promise<string> {
  const reply = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
  if (reply.status !== 200) throw new Error(`the call failed: ${JSON.stringify(reply.body)}`);
  return reply.body.invocation_id ?? '';
}

/** A successful call and the open case that its buyer made of it. */
export async function openCase(
  market: Market,
  buyer: Who,
  agentId: string,
): Promise<{ invocationId: string; disputeId: string }> {
  const invocationId = await succeed(market, buyer, agentId);
  const { status, body } = await dispute(market, buyer, invocationId);
  if (status !== 201) throw new Error(`no dispute: ${status} ${JSON.stringify(body)}`);
  return { invocationId, disputeId: body.dispute_id };
}

export async function registerOperator(market: TestMarket): Promise<TestUser> {
  const user = await register(market, 'buyer');
  await market.container.accounts.grantOperator(user.email);
  return user;
}

/** Moves the clock of a dispute's case. */
export const passTime = (market: Pick<TestMarket, 'environment'>, disputeId: string, durationMs: number) =>
  fastForward(market.environment.client, `dispute/${disputeId}`, durationMs);
