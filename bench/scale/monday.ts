/** A Monday with all developers, by the steps of its workflow one after the other, without Temporal. */
import { createCipher, parseMasterKeys } from '../../src/kit/crypto/cipher';
import { newId } from '../../src/kit/ids/ids';
import { createPayoutRuns } from '../../src/services/payouts/payout-runs';
import { methodContext } from '../../src/services/payouts/payout-accounts';
import { mondayOf } from '../../src/domain/payouts/payout';
import { createPool } from '../../src/stores/db';
import { createLogger } from '../../src/logger';
import { DETAILS } from '../../test/support/payouts/payouts';
import type { Client } from 'pg';
import type { Size } from './call-lines';

const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));
const WEEK_MS = 7 * 86_400_000;
const AT_ONCE = 2;

/** Gives each developer a bank account. */
export async function addMethods(client: Client, { buyers, developers }: Size): Promise<void> {
  const ids = Array.from({ length: developers }, () => newId('pmt'));
  const sealed = await Promise.all(
    ids.map((id) => cipher.seal(Buffer.from(JSON.stringify(DETAILS.ach)), methodContext(id))),
  );
  await client.query(
    `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked)
     SELECT m.id, bench_user('usr', $3::bigint + m.nth - 1), 'ach', m.sealed, '{}'
       FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY m(id, sealed, nth)`,
    [ids, sealed, buyers],
  );
}

/** Pays the next Monday; returns its seconds and what was paid. */
export async function payMonday(
  appUrl: string,
): Promise<{ seconds: number; shares: number; payouts: number }> {
  const pool = createPool({
    connectionString: appUrl,
    max: AT_ONCE + 1,
    applicationName: 'bench',
    onError: () => undefined,
  });
  const runs = createPayoutRuns({
    pool,
    cipher,
    logger: createLogger('bench', 'silent'),
    payer: PAYER,
    rails: ['ach'],
    taxFreeUnits: Number.MAX_SAFE_INTEGER,
    settlesAtOnce: true,
  } as never);
  const run = { asOf: new Date(mondayOf(Date.now()) + WEEK_MS).toISOString(), attempt: 0 };
  const at = performance.now();
  try {
    await runs.begin({ ...run, workflowId: 'bench' });
    let shares = 0;
    for (let afterUserId = ''; ;) {
      const page = await runs.listCandidates({ asOf: run.asOf, afterUserId, limit: 200 });
      if (page.length === 0) break;
      afterUserId = page.at(-1) ?? '';
      const waiting = [...page];
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let user = waiting.shift(); user; user = waiting.shift()) {
            let share = await runs.reserve({ developerUserId: user, ...run });
            while (share?.status === 'reserving')
              share = await runs.reserve({ developerUserId: user, ...run });
            if (share) shares += 1;
          }
        }),
      );
    }
    const file = await runs.writeFile({ method: 'ach', ...run });
    if (file) await runs.settleFile(file.fileId);
    await runs.end(run);
    return { seconds: (performance.now() - at) / 1_000, shares, payouts: file?.payouts ?? 0 };
  } finally {
    await pool.end();
  }
}

const PAYER = {
  companyName: 'Bench Market',
  companyId: '1234567890',
  routingNumber: '021000021',
  bankName: 'BENCH BANK',
  accountNumber: '1',
  bic: 'NWBKGB2L',
};
