/**
 * The steps of the workflow of a Monday (docs/payouts.md). All are idempotent: a share is reserved once, a file is
 * written once and always has the same bytes, and a payout ends once.
 */
import { createHash } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import {
  type PayoutRunBegin,
  type PayoutShare,
  type PayoutStatus,
  problemOfMonday,
} from '../../domain/payouts/payout';
import { type FileMethod, type PayoutMethod, RAILS } from '../../domain/payouts/rails';
import type { Cipher } from '../../kit/crypto/cipher';
import { newTraceId } from '../../kit/ids/ids';
import { writeNacha } from '../../kit/rails/nacha';
import { writePain001 } from '../../kit/rails/pain001';
import { type RailBatch, type RailPayee, type RailPayer, totalMinor } from '../../kit/rails/rail';
import { writeUpiCsv } from '../../kit/rails/upi-csv';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import * as files from '../../stores/payouts/payout-files';
import {
  beginRun,
  endRun,
  listMissedMondays,
  listOpenRuns,
  listOpenTransferRuns,
  type OpenRun,
  type RunKey,
} from '../../stores/payouts/payout-run-rows';
import * as store from '../../stores/payouts/payouts';
import { methodContext } from './payout-accounts';
import { destinationsOf, OWN_METHOD } from './payout-destinations';

const SETTLED_AT_ONCE = 200;
const SWEPT_AT_ONCE = 50;
/** A run that is younger is left to its workflow, which may not have begun. */
const OPEN_AFTER_MS = 30_000;
/** How late a Monday's run may begin before the sweep begins it. */
const MISSED_AFTER_MS = 15 * 60_000;
/** Lots that one transaction of a reservation takes. */
const CHUNK_LOTS = 2_000;
/** How long one call goes on taking lots. */
const RESERVE_BUDGET_MS = 2_000;

/** The file writer of each rail with bank files; the compiler asks for the writer of a new rail. */
const WRITERS: Record<FileMethod, { write: (batch: RailBatch) => Buffer; ending: string }> = {
  ach: { write: writeNacha, ending: 'ach' },
  swift: { write: writePain001, ending: 'xml' },
  upi: { write: writeUpiCsv, ending: 'csv' },
};

export interface PayoutRunsDeps {
  pool: DbPool;
  cipher: Cipher;
  logger: Logger;
  payer: RailPayer;
  /** Enabled methods. Payouts by other methods roll over. */
  rails: readonly PayoutMethod[];
  /** Units that a developer may be paid in a calendar year without a tax form. */
  taxFreeUnits: number;
  /** True (sandbox): a written file counts as paid. False: an operator records the bank's settlement. */
  settlesAtOnce: boolean;
  /** True outside development: a run as of a Monday that has not come is refused. */
  refusesFuture?: boolean;
  /** Default: 2,000. */
  chunkLots?: number;
}

export type { OpenRun };

export interface FileRequest {
  method: FileMethod;
  /** ISO 8601 time of the Monday. */
  asOf: string;
  attempt: number;
}

export interface WrittenFile {
  fileId: string;
  payouts: number;
  totalMinor: number;
  sha256: string;
}

export function createPayoutRuns(deps: PayoutRunsDeps) {
  const { pool, cipher } = deps;
  const keyOf = (run: { asOf: string; attempt: number }) => ({ ...run, asOf: new Date(run.asOf) });
  return {
    /**
     * Records that a workflow carries out a run. Throws `invalid_state` when `asOf` is not a Monday or, outside
     * development, has not come yet.
     */
    async begin(run: PayoutRunBegin): Promise<void> {
      assertMonday(deps, run.asOf);
      await beginRun(pool, { ...run, ...keyOf(run), developerUserId: run.onlyUserId ?? null });
    },

    /** Records that a run has done all its steps. */
    end: (run: { asOf: string; attempt: number }): Promise<void> => endRun(pool, keyOf(run)),

    /** Lists runs that have more to do unless their workflow runs: begun, or left open, at least 30 s ago. */
    listOpen: (): Promise<OpenRun[]> =>
      listOpenRuns(pool, { before: new Date(Date.now() - OPEN_AFTER_MS), limit: SWEPT_AT_ONCE }),

    /**
     * Lists Mondays of the last eight weeks, oldest first, that began 15 minutes ago or more and whose run never began.
     */
    listMissed: (): Promise<Date[]> => listMissedMondays(pool, MISSED_AFTER_MS),

    /** Lists runs whose USDC payouts have more to do unless their workflow runs. */
    listOpenTransfers: (): Promise<RunKey[]> => listOpenTransferRuns(pool, SWEPT_AT_ONCE),

    /** Lists developers to pay, one page at a time. */
    listCandidates: (page: { asOf: string; afterUserId: string; limit: number }): Promise<string[]> =>
      store.listCandidates(pool, { ...page, asOf: new Date(page.asOf) }),

    /**
     * Reserves a developer's payouts once, one per destination. Returns one of them, preferably one with reserved
     * money; null if there is nothing to pay. `reserving`: the time for one call is over, call again to continue.
     * Throws `invalid_state` as `begin` does.
     */
    reserve: (share: PayoutShare) => reserve(deps, share),

    /**
     * Writes the file of a method with all reserved payouts; returns null if there are none. A repeated call writes the
     * same bytes, or throws and changes nothing.
     */
    writeFile: (file: FileRequest) => writeFile(deps, file),

    /** Settles the payouts of a file if they count as paid once it is written. Returns how many. */
    async settleFile(fileId: string): Promise<number> {
      if (!deps.settlesAtOnce) return 0;
      let settled = 0;
      for (;;) {
        const ids = await files.listUnsettled(pool, fileId, SETTLED_AT_ONCE);
        if (ids.length === 0) return settled;
        settled += await store.settlePayouts(pool, ids, { paid: true, at: new Date() });
      }
    },

    /** The file for the bank, decrypted; undefined if it does not exist. */
    async readFile(fileId: string): Promise<{ name: string; bytes: Buffer } | undefined> {
      const file = await files.readPayoutFile(pool, fileId);
      return file && { name: file.name, bytes: await cipher.unseal(file.sealed, fileContext(fileId)) };
    },
  };
}

export type PayoutRuns = ReturnType<typeof createPayoutRuns>;

function assertMonday({ refusesFuture = false }: PayoutRunsDeps, asOf: string): void {
  const message = problemOfMonday(asOf, Date.now(), { isPast: refusesFuture });
  if (message !== undefined) throw new MarketError('invalid_state', { message });
}

async function reserve(
  deps: PayoutRunsDeps,
  share: PayoutShare,
): Promise<{ payoutId: string; status: PayoutStatus } | null> {
  const { pool, rails, taxFreeUnits } = deps;
  assertMonday(deps, share.asOf);
  const { developerUserId } = share;
  const paysOnChain = rails.some((method) => RAILS[method].channel === 'chain');
  const destinations = paysOnChain
    ? await destinationsOf(pool, developerUserId, new Date(share.asOf))
    : [OWN_METHOD];
  const stopsAt = Date.now() + RESERVE_BUDGET_MS;
  const made: store.PayoutRow[] = [];
  for (const destination of destinations) {
    const request = { ...share, asOf: new Date(share.asOf), destination, taxFreeUnits, rails };
    const step = { ...request, traceId: newTraceId(), chunkLots: deps.chunkLots ?? CHUNK_LOTS };
    let payout: store.PayoutRow | undefined;
    do {
      payout = await store.reservePayout(pool, step);
    } while (payout?.status === 'reserving' && Date.now() < stopsAt);
    if (payout) made.push(payout);
  }
  const shown =
    made.find(({ status }) => status === 'reserving') ??
    made.find(({ completedAt }) => completedAt === null) ??
    made[0];
  return shown ? { payoutId: shown.payoutId, status: shown.status } : null;
}

async function writeFile(deps: PayoutRunsDeps, file: FileRequest): Promise<WrittenFile | null> {
  const { pool, cipher } = deps;
  const asOf = new Date(file.asOf);
  const fileId = fileIdOf(file);
  const known = await files.readPayoutFile(pool, fileId);
  const rows = (await files.listForFile(pool, { ...file, asOf, fileId })).filter(
    (row) => !known || row.fileId === fileId,
  );
  const payees = await payeesOf(deps, rows);
  if (payees.length === 0) return null;
  const { write, ending } = WRITERS[file.method];
  const reservedAt = new Date(Math.max(...rows.map(({ initiatedAt }) => initiatedAt.getTime())));
  const bytes = write({ fileId, payees, payer: deps.payer, asOf, reservedAt, attempt: file.attempt });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const total = totalMinor(payees);
  const written = await files.writePayoutFile(pool, {
    ...file,
    fileId,
    asOf,
    name: `${fileId}.${ending}`,
    payoutIds: payees.map(({ payoutId }) => payoutId),
    totalMinor: total,
    currency: rows[0]?.currency ?? '',
    sha256,
    sealed: known?.sealed ?? (await cipher.seal(bytes, fileContext(fileId))),
  });
  if (written !== sha256) throw new Error(`file ${fileId} was already written with different content`);
  return { fileId, payouts: payees.length, totalMinor: total, sha256 };
}

/** The payees of a file. Payouts that cannot be paid are returned first. */
async function payeesOf(
  { pool, cipher, logger }: PayoutRunsDeps,
  rows: readonly files.FilePayout[],
): Promise<RailPayee[]> {
  const payees: RailPayee[] = [];
  for (const row of rows) {
    try {
      const sealed = await cipher.unseal(row.sealed, methodContext(row.methodId ?? ''));
      const details = JSON.parse(sealed.toString('utf8')) as Record<string, string>;
      payees.push({ payoutId: row.payoutId, amountMinor: row.amountMinor ?? 0, details });
    } catch (error) {
      if (row.fileId !== null) throw error;
      logger.error({ err: error, payoutId: row.payoutId }, 'cannot decrypt the details of a payout');
      const end = { paid: false, reason: 'details_unreadable', at: new Date() } as const;
      await store.settlePayouts(pool, [row.payoutId], end);
    }
  }
  return payees;
}

/** File id such as `ach-20261123-0`, at most 35 characters, as SWIFT requires. */
export function fileIdOf({ method, asOf, attempt }: FileRequest): string {
  return `${method}-${asOf.slice(0, 10).replaceAll('-', '')}-${attempt}`;
}

/** The sealing context of a bank file. */
export function fileContext(fileId: string): Record<string, string> {
  return { purpose: 'payout-file', file_id: fileId };
}
