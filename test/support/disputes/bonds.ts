/** Bonds and slashes as developers and operators use them, for tests. */
import type { BondTier, WithdrawalStatus } from '../../../src/domain/bonds/bond';
import type { SlashStatus } from '../../../src/domain/bonds/slash';
import { fastForward } from '../../../src/engine/time-travel';
import type { TestMarket, TestUser } from '../market';
import { request, type Reply } from '../catalogue/publishing';

export interface WithdrawalView {
  withdrawal_id: string;
  status: WithdrawalStatus;
  credits: number;
  paid_credits: number | null;
  due_at: string;
  completed_at: string | null;
}

export interface BondReply {
  bond_credits: number;
  slash_hold_credits: number;
  tier: BondTier | null;
  shortfall: null | {
    slash_id: string;
    minimum_credits: number;
    missing_credits: number;
    since: string;
    top_up_by: string;
    remaining_seconds: number;
    delisted: boolean;
  };
  withdrawals: WithdrawalView[];
}

export interface SlashView {
  slash_id: string;
  status: SlashStatus;
  resolution: string | null;
  credits: number;
  requested_credits: number;
  refund: 'affected' | 'none';
  explanation: string;
  evidence: unknown;
  calls: { invocation_id: string; refunded_credits: number | null }[];
  counter_argument: { statement: string; evidence: unknown; created_at: string } | null;
  applied_at: string;
  counter_by: string;
  resolved_at: string | null;
  top_up_by: string | null;
  remaining_seconds: number | null;
  developer_user_id?: string;
}

type Market = Pick<TestMarket, 'url'>;
type Who = Pick<TestUser, 'cookie'>;

const BOND = '/v1/billing/developer/bond';
const SLASHES = '/v1/billing/developer/slashes';

export const readBond = async (market: Market, developer: Who): Promise<BondReply> =>
  (await request<BondReply>(market, developer, 'GET', BOND)).body;

export const deposit = (market: Market, developer: Who, credits: number) =>
  request<BondReply>(market, developer, 'POST', `${BOND}/deposit`, { credits });

/** The status, and whether the deposit had been made before. */
export async function depositByKey(market: Market, developer: Who, credits: number, key: string) {
  const response = await fetch(market.url + `${BOND}/deposit`, {
    method: 'POST',
    headers: { cookie: developer.cookie, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ credits }),
  });
  return [response.status, response.headers.get('idempotent-replayed') ?? 'new'] as const;
}

export const withdraw = (market: Market, developer: Who, credits: number) =>
  request<WithdrawalView>(market, developer, 'POST', `${BOND}/withdraw`, { credits });

export function slash(
  market: Market,
  operator: Who,
  about: { agentId: string; credits: number; calls: readonly string[] },
  more: Record<string, unknown> = {},
): Promise<Reply<SlashView>> {
  return request(market, operator, 'POST', '/v1/operator/slashes', {
    agent_id: about.agentId,
    credits: about.credits,
    explanation: 'CANARY-explanation-93bd',
    evidence: { output_sha256: 'CANARY-evidence-77ab' },
    invocation_ids: about.calls,
    ...more,
  });
}

export const readSlash = async (market: Market, developer: Who, slashId: string): Promise<SlashView> =>
  (await request<SlashView>(market, developer, 'GET', `${SLASHES}/${slashId}`)).body;

export const counter = (market: Market, developer: Who, slashId: string) =>
  request<SlashView>(market, developer, 'POST', `${SLASHES}/${slashId}/counter-argument`, {
    statement: 'CANARY-statement-51cc',
    evidence: ['CANARY-counter-evidence'],
  });

export const decide = (market: Market, operator: Who, slashId: string, decision: 'upheld' | 'overturned') =>
  request<SlashView>(market, operator, 'POST', `/v1/operator/slashes/${slashId}/resolve`, {
    decision,
    reason: 'CANARY-reason-0f0f',
  });

export interface NoticeList {
  items: { code: string; slash_id: string | null; data: Record<string, unknown>; created_at: string }[];
  total: number;
}

export const notices = async (market: Market, developer: Who): Promise<NoticeList['items']> =>
  (await request<NoticeList>(market, developer, 'GET', '/v1/billing/developer/notices?limit=100')).body.items;

/** Moves the clock of the workflow of a slash. */
export const passSlash = (market: Pick<TestMarket, 'environment'>, slashId: string, durationMs: number) =>
  pass(market, `slash/${slashId}`, durationMs);

/** Moves the clock of the workflow of a withdrawal. */
export const passNotice = (
  market: Pick<TestMarket, 'environment'>,
  withdrawalId: string,
  durationMs: number,
) => pass(market, `bond-withdrawal/${withdrawalId}`, durationMs);

/** A workflow that began a moment ago is over a moment before the whole of its window has passed. */
async function pass(
  market: Pick<TestMarket, 'environment'>,
  workflowId: string,
  durationMs: number,
): Promise<void> {
  try {
    await fastForward(market.environment.client, workflowId, durationMs);
  } catch (error) {
    if (!/the execution ended before/.test(String(error))) throw error;
  }
}

/** True when search finds the agent. */
export async function isFound(market: Market, who: Who, agentId: string): Promise<boolean> {
  const path = '/v1/listings?sort=newest&limit=100';
  const { body } = await request<{ items: { agent_id: string }[] }>(market, who, 'GET', path);
  return body.items.some((item) => item.agent_id === agentId);
}

/** The deadline of the reason `bond_shortfall`, as the owner of an agent reads it. */
export async function shortfallDeadline(market: Market, owner: Who, agentId: string) {
  const path = `/v1/developer/agents/${agentId}/visibility`;
  type Visibility = { reasons: { code: string; deadline?: string }[] };
  const { body } = await request<Visibility>(market, owner, 'GET', path);
  return body.reasons.find(({ code }) => code === 'bond_shortfall')?.deadline;
}

/** Everything that can be read in a history: every string, and every payload in clear. */
export function readable(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(readable).join('\n');
}
