import { MarketError } from '../../domain/errors';
import type { UserAccountKind } from '../../domain/ledger/ledger';
import { lowestIdAt } from '../../kit/ids/ids';
import { timeOfId } from '../../domain/instant';
import { findUser } from '../../stores/accounts/users';
import type { Db } from '../../stores/db';
import { listLines, listTransactionIds } from '../../stores/ledger/ledger-reads';
import {
  findAccountsByEmail,
  findCallsByTrace,
  findSubject,
  listMovements,
  readOperatorCall,
  readPlatformState,
  type Subject,
} from '../../stores/operations/overview';
import { createBacklog, type BacklogReader } from './backlog';

export type { Movement, OperatorCallRow, Subject } from '../../stores/operations/overview';
export type { LedgerLine } from '../../stores/ledger/ledger-reads';

const EVERY_KIND: readonly UserAccountKind[] = ['wallet', 'escrow', 'payable', 'bond', 'slash_hold'];
/** The id of a call is made within this time after its trace id. */
const CALL_FOLLOWS_MS = 10_000;

/** Read models for operators: lookup by any id, money timelines, and the state of the platform. */
function createOverview({ pool, backlog }: { pool: Db; backlog: BacklogReader }) {
  return {
    /** Returns the objects that an id, an e-mail address or a trace id names; an empty list for other texts. */
    async lookUp(text: string): Promise<Subject[]> {
      const wanted = text.trim();
      if (wanted.includes('@')) return findAccountsByEmail(pool, wanted);
      if (!/^[0-9a-f]{32}$/i.test(wanted)) return findSubject(pool, wanted);
      const traceId = wanted.toLowerCase();
      const began = timeOfId(traceId);
      return findCallsByTrace(
        pool,
        traceId,
        lowestIdAt('inv', began),
        lowestIdAt('inv', began + CALL_FOLLOWS_MS),
      );
    },

    /** Lists every movement of an account, newest first. Throws `not_found`. */
    async movements(userId: string, page: { beforeEntryId?: string | undefined; limit: number }) {
      if (!(await findUser(pool, userId))) throw new MarketError('not_found');
      return listLines(pool, { userId, accounts: EVERY_KIND, ...page });
    },

    /** A call with both sides of its transactions. Throws `not_found`. */
    async call(invocationId: string) {
      const call = await readOperatorCall(pool, invocationId);
      if (!call) throw new MarketError('not_found');
      return { call, movements: await listMovements(pool, await listTransactionIds(pool, invocationId)) };
    },

    async platform() {
      const [queues, state] = await Promise.all([backlog.read(), readPlatformState(pool)]);
      return { queues, ...state };
    },
  };
}

/** The backlog, for metrics too, and the read models of operators. */
export function createOverviewParts({ pool }: { pool: Db }) {
  const backlog = createBacklog({ db: pool });
  return { backlog, overview: createOverview({ pool, backlog }) };
}

export type Overview = ReturnType<typeof createOverview>;
