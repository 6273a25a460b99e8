/** Mondays of the past made up for by the Schedule, and the proof of what they have paid. */
import { createHash } from 'node:crypto';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import type { Client, Pool } from 'pg';
import { loadConfig } from '../../../src/config';
import { createContainer } from '../../../src/container';
import type { PayoutRunResult } from '../../../src/domain/payouts/payout';
import { FILE_METHODS, type FileMethod } from '../../../src/domain/payouts/rails';
import { payoutScheduleId } from '../../../src/engine/payouts';
import { createLogger } from '../../../src/logger';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { readBankFile } from './bank-files';
import { eventually } from '../market';
import { type Crowd, expectedPayouts } from './payout-crowd';
import type { ProcessStack } from '../stack/process-stack';
import { answers, isMade, makeUp } from '../stack/schedules';
import { testPool } from '../stack/pool';

const SCHEDULED_IN_MS = 60_000;
const DAY_MS = 86_400_000;

export interface CatchUp {
  /** When the Schedule was asked, as `performance.now` counts. */
  askedAt: number;
  /** Resolves with the result of each run after the last one has ended. */
  results: Promise<PayoutRunResult[]>;
  close(): Promise<void>;
}

/** Has the Schedule make up for these Mondays, as it would after an outage. */
export async function catchUp(stack: ProcessStack, mondays: readonly Date[]): Promise<CatchUp> {
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const client = new TemporalClient({ connection });
  const schedule = client.schedule.getHandle(payoutScheduleId(''));
  await isMade(schedule, SCHEDULED_IN_MS);
  const askedAt = performance.now();
  const [first, last] = [mondays[0], mondays.at(-1)].map((monday) => monday?.getTime() ?? NaN);
  await makeUp(schedule, new Date((first ?? NaN) - DAY_MS), new Date((last ?? NaN) + DAY_MS));
  const resultOf = async (monday: Date): Promise<PayoutRunResult> => {
    const at = monday.toISOString().replace('.000Z', 'Z');
    const run = client.workflow.getHandle(`${payoutScheduleId('')}-${at}`);
    await eventually(() => answers(run.describe()), SCHEDULED_IN_MS * mondays.length);
    return (await run.result()) as PayoutRunResult;
  };
  const results = Promise.all(mondays.map(resultOf));
  // The caller that awaits it gets the rejection; until then it is not unhandled.
  results.catch(() => undefined);
  return { askedAt, results, close: () => connection.close() };
}

export interface ProvenFile {
  fileId: string;
  payouts: number;
  totalMinor: number;
  currency: string;
  /** The amount that the ledger moved to the bank for it. */
  units: number;
}

export interface MondaysProof {
  /** Empty if there are no differences. */
  problems: string[];
  files: ProvenFile[];
  paid: number;
  rolledOver: number;
  /** Given back for the next Monday by the last one. */
  remainderUnits: number;
}

/** Holds what the Mondays did against what the crowd has earned, the bank's files, and the ledger. */
export async function proveMondays(stack: ProcessStack, crowd: Crowd): Promise<MondaysProof> {
  const problems: string[] = [];
  const payouts = await proveShares(stack.owner, crowd, problems);
  const files = await proveFiles(stack, crowd, problems);
  const pool = testPool(stack.environment()['DATABASE_URL']);
  const report = await checkLedger(pool, { ledgerOnly: true });
  for (const { name, findings } of report.proofs) {
    problems.push(...findings.map(({ subject, problem }) => `ledger check, ${name}: ${subject} ${problem}`));
  }
  const { rows } = await pool.query<{ clearing: string; remainder: string; shown: string }>(
    `SELECT (SELECT sum(abs(balance_units)) FROM account_balances WHERE kind LIKE '%_clearing') AS clearing,
            (SELECT coalesce(sum(amount_units), 0) FROM payout_carries WHERE into_payout_id IS NULL) AS remainder,
            (SELECT coalesce(sum(remainder_units), 0) FROM payouts WHERE as_of = $1) AS shown`,
    [crowd.mondays.at(-1)],
  );
  await pool.end();
  const sums = rows[0];
  if (sums?.clearing !== '0') problems.push(`${sums?.clearing} units are still in clearing`);
  if (sums?.remainder !== sums?.shown)
    problems.push(`${sums?.remainder} units were given back, ${sums?.shown} are shown`);
  const count = (status: string) => payouts.filter((payout) => payout.status === status).length;
  return {
    problems,
    files,
    paid: count('paid'),
    rolledOver: count('rolled_over'),
    remainderUnits: Number(sums?.remainder),
  };
}

interface ShareRow {
  developer_user_id: string;
  as_of: Date;
  status: string;
}

/** Every share exists once, with the sums of its developer, and every paid lot belongs to one share. */
async function proveShares(owner: Client, crowd: Crowd, problems: string[]): Promise<ShareRow[]> {
  const { rows } = await owner.query<ShareRow & { made: unknown }>(
    `SELECT developer_user_id, as_of, status, jsonb_build_object('status', status, 'reason', reason, 'method', method,
       'lotsUnits', lots_units, 'carriedUnits', carried_units, 'amountUnits', amount_units,
       'remainderUnits', remainder_units, 'amountMinor', amount_minor, 'attempt', attempt,
       'lots', coalesce(l.lots, 0)) AS made FROM payouts p
     LEFT JOIN (SELECT payout_id, count(*) AS lots FROM earnings GROUP BY payout_id) l USING (payout_id)`,
  );
  const made = new Map(rows.map((row) => [`${row.developer_user_id} ${row.as_of.toISOString()}`, row]));
  if (made.size !== rows.length) problems.push('a share was made twice');
  for (const member of crowd.members) {
    for (const [week, expected] of expectedPayouts(member, crowd.rates).entries()) {
      const key = `${member.userId} ${crowd.mondays[week]?.toISOString()}`;
      const found = made.get(key)?.made;
      const lots = expected.status === 'paid' ? member.weeks[week]?.length : 0;
      const wanted = { ...expected, attempt: 0, lots };
      if (sorted(found) !== sorted(wanted)) problems.push(`${key}: ${sorted(found)}, not ${sorted(wanted)}`);
      made.delete(key);
    }
  }
  problems.push(...[...made.keys()].map((key) => `${key}: nobody has earned that`));
  return rows;
}

const sorted = (value: unknown) => JSON.stringify(Object.entries(value ?? {}).sort());

/** Each bank's file names the payouts of its Monday and no others, over what the ledger moved, and is written again. */
async function proveFiles(stack: ProcessStack, crowd: Crowd, problems: string[]): Promise<ProvenFile[]> {
  const container = createContainer(loadConfig(stack.environment()), createLogger('test', 'silent'));
  const { pool, payoutRuns } = container;
  const proven: ProvenFile[] = [];
  for (const monday of crowd.mondays) {
    for (const method of FILE_METHODS) {
      const again = await payoutRuns.writeFile({ method, asOf: monday.toISOString(), attempt: 0 });
      if (!again) continue;
      const { bytes } = (await payoutRuns.readFile(again.fileId)) ?? { bytes: Buffer.alloc(0) };
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      if (sha256 !== again.sha256) problems.push(`${again.fileId}: written again, it is another file`);
      proven.push(await proveFile(pool, method, { ...again, bytes }, problems));
    }
  }
  await container.close();
  return proven;
}

async function proveFile(
  pool: Pool,
  method: FileMethod,
  { fileId, bytes }: { fileId: string; bytes: Buffer },
  problems: string[],
): Promise<ProvenFile> {
  const { rows } = await pool.query<{ payout_id: string; minor: string; currency: string; units: string }>(
    `SELECT p.payout_id, p.amount_minor AS minor, p.currency,
            (SELECT coalesce(sum(-e.amount_units), 0) FROM transactions t JOIN entries e USING (transaction_id)
              WHERE t.reference = 'payout/' || p.payout_id || '/paid' AND e.account_id = 3) AS units
       FROM payouts p WHERE p.file_id = $1 ORDER BY p.payout_id`,
    [fileId],
  );
  const file = readBankFile(method, bytes);
  const named = rows.map(({ payout_id: id, minor }, at) => {
    const credit = file.credits[at];
    return credit !== undefined && id.endsWith(credit.reference) && Number(minor) === credit.minor;
  });
  const totalMinor = file.credits.reduce((sum, { minor }) => sum + minor, 0);
  const units = rows.reduce((sum, row) => sum + Number(row.units), 0);
  const right = [
    named.every(Boolean) && file.credits.length === rows.length,
    file.count === rows.length,
    file.totalMinor === totalMinor,
    // A hundred units are a cent; rupees are proven share by share.
    method === 'upi' || units === totalMinor * 100,
  ];
  if (right.includes(false)) problems.push(`${fileId}: names, count, total, ledger: ${right.join(', ')}`);
  return { fileId, payouts: rows.length, totalMinor, currency: rows[0]?.currency ?? '', units };
}
