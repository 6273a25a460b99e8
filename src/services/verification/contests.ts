/**
 * Contests of findings (docs/verification-scores.md, "Waivers and contests"). An owner contests a finding; an operator
 * accepts the contest, which waives the finding, or refuses it.
 */
import { MarketError } from '../../domain/errors';
import {
  type ContestStatus,
  MOST_CONTESTS_OF_FINDING,
  MOST_OPEN_CONTESTS,
} from '../../domain/verification/contest';
import { newId } from '../../kit/ids/ids';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import type { AgentRow } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as contests from '../../stores/verification/contests';
import { type FindingRow, lockFinding } from '../../stores/verification/findings';
import type { OperatorRequest } from '../accounts/operator-actions';
import { readOwnAgent } from '../catalogue/own-agent';
import { withCases } from './finding-cases';
import { inform, requireAgent, waive } from './waivers';

export type Contest = contests.ContestRow;

export function createContests({ pool }: { pool: DbPool }) {
  const contest = async (db: Db, contestId: string): Promise<Contest> => {
    const found = await contests.readContest(db, contestId);
    if (!found) throw new MarketError('not_found');
    return found;
  };

  return {
    /**
     * Contests a finding of an own agent. Throws `invalid_state` if the finding is resolved, is waived, was contested
     * too often, or if too many contests of the developer wait.
     */
    open: (userId: string, agentId: string, findingId: string, statement: string): Promise<Contest> =>
      withTransaction(pool, async (tx) => {
        await readOwnAgent(tx, userId, agentId);
        const finding = await lockFinding(tx, agentId, findingId);
        if (!finding) throw new MarketError('not_found');
        await requireContestable(tx, userId, finding);
        const contestId = newId('fct');
        await contests.insertContest(tx, {
          contestId,
          agentId,
          findingId,
          developerUserId: userId,
          statement,
        });
        return contest(tx, contestId);
      }),

    get: (contestId: string): Promise<Contest> => contest(pool, contestId),

    /** Lists contests in one status, newest first. */
    list: (page: { status: ContestStatus; limit: number; beforeId?: string | undefined }) =>
      contests.listContests(pool, page),

    /** Decides an open contest. Accepting waives the finding for `days`. Throws `invalid_state` if it is decided. */
    decide: (
      contestId: string,
      decision: { status: 'accepted' | 'refused'; days?: number | undefined },
      request: OperatorRequest,
    ): Promise<Contest> =>
      withTransaction(pool, async (tx) => {
        const { agentId, findingId } = await contest(tx, contestId);
        const agent = await requireAgent(tx, agentId);
        if ((await contests.lockContest(tx, contestId)) !== 'open')
          throw new MarketError('invalid_state', { message: 'This contest is decided.' });
        if (decision.status === 'accepted') await waive(tx, agent, findingId, decision.days, request);
        else await refuse(tx, agent, { contestId, findingId }, request);
        return contest(tx, contestId);
      }),
  };
}

export type Contests = ReturnType<typeof createContests>;

async function requireContestable(tx: Db, userId: string, finding: FindingRow): Promise<void> {
  const refuseWith = (message: string): never => {
    throw new MarketError('invalid_state', { message });
  };
  const { findingId, status } = finding;
  if (status === 'resolved') refuseWith('This finding is resolved.');
  const [cases] = await withCases(tx, [finding]);
  if (cases?.waiver) refuseWith('This finding is waived.');
  if (cases?.contest?.status === 'open') refuseWith('A contest of this finding waits for an operator.');
  const most = Math.max(MOST_CONTESTS_OF_FINDING, MOST_OPEN_CONTESTS);
  const count = await contests.countContests(tx, { findingId, developerUserId: userId, most });
  if (count.ofFinding >= MOST_CONTESTS_OF_FINDING)
    refuseWith(`A finding can be contested ${MOST_CONTESTS_OF_FINDING} times.`);
  if (count.open >= MOST_OPEN_CONTESTS)
    refuseWith(
      `${MOST_OPEN_CONTESTS} of your contests wait for an operator. Contest more when some are decided.`,
    );
}

async function refuse(
  tx: Db,
  agent: AgentRow,
  { contestId, findingId }: { contestId: string; findingId: string },
  request: OperatorRequest,
): Promise<void> {
  const { operatorUserId: by, reason } = request;
  await contests.decideContest(tx, contestId, { status: 'refused', by, reason, waiverId: null });
  const details = { contest_id: contestId };
  await recordOperatorAction(tx, {
    ...request,
    action: 'finding.refuse_contest',
    subject: findingId,
    details,
  });
  const about = { finding_id: findingId, contest_id: contestId };
  await inform(tx, agent, ['finding.contest_refused', 'contest_refused'], about, reason);
}
