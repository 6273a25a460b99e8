import { MarketError } from '../../domain/errors';
import type { UserAccountKind } from '../../domain/ledger/ledger';
import { lowestIdAt } from '../../kit/ids/ids';
import { timeOfId } from '../../domain/instant';
import { findUser } from '../../stores/accounts/users';
import type { Db } from '../../stores/db';
import { listLines, listTransactionIds } from '../../stores/ledger/ledger-reads';
import { listMovements, readOperatorCall, readPlatformState } from '../../stores/operations/overview';
import {
  findAccountsByPart,
  findAgentsByPart,
  findByInvoiceEnd,
  findByInvoiceNumber,
  findByKeyEnd,
} from '../../stores/operations/account-search';
import {
  findAccountsByEmail,
  findCallsByTrace,
  findSubject,
  type Subject,
} from '../../stores/operations/subjects';
import { readWorkers } from '../../stores/operations/loop-reports';
import { readLastHour, readLastMonth } from '../../stores/operations/market-figures';
import { createAccountNotices } from './account-notices';
import { createBacklog, type BacklogReader } from './backlog';

export type { Movement, OperatorCallRow } from '../../stores/operations/overview';
export type { MarketFigures } from '../../stores/operations/market-figures';
export type { Subject } from '../../stores/operations/subjects';
export type { LedgerLine } from '../../stores/ledger/ledger-reads';

const EVERY_KIND: readonly UserAccountKind[] = ['wallet', 'escrow', 'payable', 'bond', 'slash_hold'];
/** The id of a call is made within this time after its trace id. */
const CALL_FOLLOWS_MS = 10_000;

/** Read models for operators: lookup by any id, money timelines, and the state of the platform. */
function createOverview({ pool, backlog }: { pool: Db; backlog: BacklogReader }) {
  return {
    /**
     * Returns the objects that a text names: by id, trace id or invoice number, by the end of such a number or of an
     * API key, or by a part of a name or an address. Returns an empty list for a text that names none.
     */
    lookUp: (text: string) => lookUp(pool, text.trim()),

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

    /** The figures of the marketplace: of the last hour, and of the last 30 days. */
    async figures() {
      const now = Date.now();
      const [hour, month, { calls }] = await Promise.all([
        readLastHour(pool, now),
        readLastMonth(pool, now),
        backlog.read(),
      ]);
      return {
        asOf: new Date(now),
        hour,
        month,
        openCalls: calls.reduce((sum, { count }) => sum + count, 0),
      };
    },

    async platform() {
      const [queues, state, workers] = await Promise.all([
        backlog.read(),
        readPlatformState(pool),
        readWorkers(pool),
      ]);
      return { queues, ...state, workers };
    },
  };
}

const TRACE_ID = /^[0-9a-f]{32}$/i;
const ID = /^[a-z]{3}_[\x21-\x7e]+$/;
const INVOICE_NUMBER = /^[a-z]{3}[0-9]{0,2}-[0-9]{4}-[0-9]+$/i;
/** The end of the number of an invoice or a note: what follows the zeros is its number in its series. */
const INVOICE_END = /^(?:(?:[a-z]{1,3}[0-9]{0,2}-)?[0-9]{1,4}-)?0*([1-9][0-9]{0,11})$/i;
/** Four characters, as an API key ends and as a list of keys shows it. */
const KEY_END = /^(?:…|\.\.\.)?([0-9A-Za-z]{4})$/;
const MOST_FOUND = 20;

async function lookUp(pool: Db, wanted: string): Promise<Subject[]> {
  if (TRACE_ID.test(wanted)) return findByTrace(pool, wanted.toLowerCase());
  const named = await findNamed(pool, wanted);
  if (named.length > 0) return named;
  const end = KEY_END.exec(wanted)?.[1];
  const invoice = INVOICE_END.exec(wanted)?.[1];
  const found = await Promise.all([
    end === undefined ? [] : findByKeyEnd(pool, end),
    invoice === undefined ? [] : findByInvoiceEnd(pool, wanted, Number(invoice)),
    findAccountsByPart(pool, wanted),
    findAgentsByPart(pool, wanted),
  ]);
  const all = found.flat();
  return all
    .filter(({ id }, index) => all.findIndex((other) => other.id === id) === index)
    .slice(0, MOST_FOUND);
}

/** What the whole text names: an id, the number of an invoice, or an address. */
async function findNamed(pool: Db, wanted: string): Promise<Subject[]> {
  if (ID.test(wanted)) return findSubject(pool, wanted);
  if (INVOICE_NUMBER.test(wanted)) return findByInvoiceNumber(pool, wanted);
  return wanted.includes('@') ? findAccountsByEmail(pool, wanted) : [];
}

function findByTrace(pool: Db, traceId: string): Promise<Subject[]> {
  const began = timeOfId(traceId);
  return findCallsByTrace(
    pool,
    traceId,
    lowestIdAt('inv', began),
    lowestIdAt('inv', began + CALL_FOLLOWS_MS),
  );
}

/** The backlog, for metrics too, and the read models of operators. */
export function createOverviewParts({ pool }: { pool: Db }) {
  const backlog = createBacklog({ db: pool });
  return {
    backlog,
    overview: createOverview({ pool, backlog }),
    accountNotices: createAccountNotices({ pool }),
  };
}

export type Overview = ReturnType<typeof createOverview>;
