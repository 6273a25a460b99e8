/** The Mondays of the history: each pays developers, or carries what is too little, by the steps of its workflow. */
import type { Config } from '../../../config';
import { UNITS_PER_CREDIT } from '../../../domain/ledger/money';
import { mondayOf } from '../../../domain/payouts/payout';
import { FILE_METHODS } from '../../../domain/payouts/rails';
import type { Cipher } from '../../../kit/crypto/cipher';
import { createLogger } from '../../../logger';
import { createPayoutRuns } from '../../../services/payouts/payout-runs';
import { payerOf } from '../../../services/payouts/payouts';
import { listUnsettled } from '../../../stores/payouts/payout-files';
import { settlePayouts } from '../../../stores/payouts/payouts';
import type { Past } from './past';
import { DAY_MS, HOUR_MS, type Moment } from './moment';

const WEEK_MS = 7 * DAY_MS;
const BEGINS_AFTER_MS = 20_000;
const SETTLES_AFTER_MS = 9 * HOUR_MS;
const MOST = 100;

export function mondayMoments(
  deps: { config: Config; cipher: Cipher },
  fromMs: number,
  untilMs: number,
): Moment[] {
  const moments: Moment[] = [];
  const first = mondayOf(fromMs - 1) + WEEK_MS;
  for (let monday = first; monday + SETTLES_AFTER_MS < untilMs; monday += WEEK_MS)
    moments.push({ atMs: monday + BEGINS_AFTER_MS, run: (past) => payMonday(deps, past, monday) });
  return moments;
}

async function payMonday(
  { config, cipher }: { config: Config; cipher: Cipher },
  past: Past,
  mondayMs: number,
) {
  const { pool } = past;
  const runs = createPayoutRuns({
    pool,
    cipher,
    logger: createLogger('demonstration', 'silent'),
    payer: payerOf(config),
    rails: FILE_METHODS,
    taxFreeUnits: config.PAYOUT_TAX_FREE_CREDITS * UNITS_PER_CREDIT,
    settlesAtOnce: false,
  });
  const run = { asOf: new Date(mondayMs).toISOString(), attempt: 0 };
  await runs.begin({ ...run, workflowId: `weekly-payouts/${run.asOf.slice(0, 10)}/0` });
  for (const developerUserId of await runs.listCandidates({ asOf: run.asOf, afterUserId: '', limit: MOST }))
    while ((await runs.reserve({ developerUserId, ...run }))?.status === 'reserving');
  for (const method of FILE_METHODS) {
    const file = await runs.writeFile({ method, ...run });
    if (!file) continue;
    const settledMs = mondayMs + SETTLES_AFTER_MS;
    await past.at(settledMs);
    const payouts = await listUnsettled(pool, file.fileId, MOST);
    await settlePayouts(pool, payouts, { paid: true, at: new Date(settledMs) });
  }
  await runs.end(run);
}
