/**
 * Waivers of findings (docs/verification-scores.md, "Waivers and contests"). Each decision, its audit log entry, its
 * notice and its event are one transaction under the agent's lock. A run takes waivers into account when it is
 * concluded.
 */
import { MarketError } from '../../domain/errors';
import { WAIVER_DAYS } from '../../domain/verification/contest';
import { newId } from '../../kit/ids/ids';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { moveVersion, readNewestToVerify } from '../../stores/catalogue/agent-versions';
import { type AgentRow, lockAgent, readAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { decideContest, notifyOfFinding, readOpenContest } from '../../stores/verification/contests';
import { listFindings, lockFinding } from '../../stores/verification/findings';
import * as waivers from '../../stores/verification/waivers';
import { recordEvent } from '../../stores/webhooks/outbox';
import type { OperatorRequest } from '../accounts/operator-actions';
import { withCases } from './finding-cases';
import type { FindingFilter } from './trust-reports';

export type Waiver = waivers.WaiverRow;

/** A decision that calls for a run of the agent. */
export interface AgentToVerify {
  agentId: string;
  versionId: string;
}

const BATCH = 100;

export function createWaivers({ pool }: { pool: DbPool }) {
  return {
    /**
     * Waives a finding for `days`, and accepts its open contest. Throws `invalid_state` if it is waived or resolved.
     */
    waive: (
      agentId: string,
      findingId: string,
      days: number | undefined,
      request: OperatorRequest,
    ): Promise<Waiver> =>
      withTransaction(pool, async (tx) =>
        waive(tx, await requireAgent(tx, agentId), findingId, days, request),
      ),

    /** Ends a waiver before its time. Throws `invalid_state` if it has ended. */
    revoke: (waiverId: string, request: OperatorRequest): Promise<Waiver> =>
      withTransaction(pool, async (tx) => {
        const { agentId } = await requireWaiver(tx, waiverId);
        const agent = await requireAgent(tx, agentId);
        const end = { by: request.operatorUserId, reason: request.reason };
        if (!(await waivers.revokeWaiver(tx, waiverId, end)))
          throw new MarketError('invalid_state', { message: 'This waiver has ended.' });
        await recordOperatorAction(tx, { ...request, action: 'finding.revoke_waiver', subject: waiverId });
        const ended = await requireWaiver(tx, waiverId);
        await notifyOfEnd(tx, agent, ended);
        return ended;
      }),

    /** Lists waivers, newest first. */
    list: (page: Parameters<typeof waivers.listWaivers>[1]) => waivers.listWaivers(pool, page),

    /** The findings of any agent, newest first, for operators. */
    async findings(agentId: string, page: FindingFilter) {
      if (!(await readAgent(pool, agentId))) throw new MarketError('not_found');
      const { rows, total } = await listFindings(pool, agentId, page);
      return { rows: await withCases(pool, rows), total };
    },

    /** Ends waivers that have expired. */
    expire: (): Promise<void> => withTransaction(pool, expire),

    /** Lists agents whose waivers began or ended without a run so far: all, or one agent. */
    listUnasked: (agentId?: string): Promise<AgentToVerify[]> =>
      waivers.listUnaskedWaivers(pool, { agentId, most: BATCH }),

    markAsked: (agentId: string): Promise<void> => waivers.markWaiversAsked(pool, agentId),
  };
}

export type Waivers = ReturnType<typeof createWaivers>;

/** Locks the agent until the end of the transaction. Throws `not_found`. */
export async function requireAgent(tx: Db, agentId: string): Promise<AgentRow> {
  const agent = await lockAgent(tx, agentId);
  if (!agent) throw new MarketError('not_found');
  return agent;
}

async function requireWaiver(tx: Db, waiverId: string): Promise<Waiver> {
  const found = await waivers.readWaiver(tx, waiverId);
  if (!found) throw new MarketError('not_found');
  return found;
}

/** Waives a finding, accepts its open contest, and submits a rejected version again. */
export async function waive(
  tx: Db,
  agent: AgentRow,
  findingId: string,
  days: number = WAIVER_DAYS.usual,
  request: OperatorRequest,
): Promise<Waiver> {
  const { agentId } = agent;
  const finding = await lockFinding(tx, agentId, findingId);
  if (!finding) throw new MarketError('not_found');
  if (finding.status === 'resolved')
    throw new MarketError('invalid_state', { message: 'This finding is resolved.' });
  await expire(tx);
  const waiverId = newId('fwv');
  const { reason, operatorUserId: grantedBy } = request;
  if (!(await waivers.insertWaiver(tx, { waiverId, agentId, findingId, reason, grantedBy, days })))
    throw new MarketError('invalid_state', { message: 'This finding is waived.' });
  const contestId = await readOpenContest(tx, findingId);
  if (contestId !== undefined)
    await decideContest(tx, contestId, { status: 'accepted', by: grantedBy, reason, waiverId });
  if (finding.line === 'candidate' && agent.status === 'active') await submitAgain(tx, agentId);
  const granted = await requireWaiver(tx, waiverId);
  const expiresAt = granted.expiresAt.toISOString();
  await recordOperatorAction(tx, {
    ...request,
    action: 'finding.waive',
    subject: findingId,
    details: { waiver_id: waiverId, contest_id: contestId ?? null, expires_at: expiresAt },
  });
  const about = { finding_id: findingId, waiver_id: waiverId, expires_at: expiresAt };
  await inform(tx, agent, ['finding.waived', 'finding_waived'], about, reason);
  return granted;
}

/** A rejected version is verified again, now that its finding is waived. */
async function submitAgain(tx: Db, agentId: string): Promise<void> {
  const newest = await readNewestToVerify(tx, agentId);
  if (newest) await moveVersion(tx, newest.versionId, ['rejected'], 'submitted');
}

async function expire(tx: Db): Promise<void> {
  for (const waiverId of await waivers.expireWaivers(tx, BATCH)) {
    const ended = await requireWaiver(tx, waiverId);
    const agent = await readAgent(tx, ended.agentId);
    if (agent) await notifyOfEnd(tx, agent, ended);
  }
}

function notifyOfEnd(tx: Db, agent: AgentRow, { findingId, waiverId, endReason }: Waiver): Promise<void> {
  const about = { finding_id: findingId, waiver_id: waiverId };
  return inform(tx, agent, ['finding.waiver_ended', 'waiver_ended'], about, endReason);
}

/** Records the event and the notice of a decision. The notice alone has the operator's text. */
export async function inform(
  tx: Db,
  { agentId, slug, developerUserId }: AgentRow,
  [type, kind]: [
    'finding.waived' | 'finding.contest_refused' | 'finding.waiver_ended',
    'finding_waived' | 'contest_refused' | 'waiver_ended',
  ],
  about: Record<string, unknown>,
  reason: string | null,
): Promise<void> {
  const data = { agent_id: agentId, slug, ...about };
  await recordEvent(tx, { type, data, audience: { userIds: [developerUserId], agentId } });
  await notifyOfFinding(tx, { developerUserId, kind, agentId, data: { ...data, reason } });
}
