/** Parts of an erasure that are as large as the account: each transaction changes a batch, and none is left out. */
import { erasePart } from '../../../src/stores/leaving/deletions';
import type { ErasurePart } from '../../../src/domain/leaving/deletion';
import { newId } from '../../../src/kit/ids/ids';
import { registerOperator } from '../../support/disputes/disputes';
import { expectWholeLedger, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket();
const BATCH = 10;
let person: TestUser;

beforeEach(async () => {
  person = await register(market, 'buyer');
  await market.owner.query(
    `INSERT INTO account_deletions (deletion_id, user_id, state, forfeits, confirm_from, confirmed_at, erasing_at, workflow_started_at)
     VALUES ($1, $2, 'erasing', true, now(), now(), now(), now())`,
    [newId('del'), person.userId],
  );
});

const count = async (sql: string): Promise<number> =>
  (await market.owner.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, [person.userId])).rows[0]
    ?.n ?? -1;

/** Erases a part in small batches. Returns how many rows of a list were left after each. */
async function erased(part: ErasurePart, left: () => Promise<number>): Promise<number[]> {
  const counts: number[] = [];
  for (let after: string | null = ''; after !== null;) {
    after = await erasePart(market.container.pool, person.userId, part, after, BATCH);
    counts.push(await left());
  }
  return counts;
}

/** Whether each batch took ten rows at most, and the last one left nothing. */
function expectSteps(before: number, counts: readonly number[]): void {
  const steps = counts.map((left, i) => (counts[i - 1] ?? before) - left);
  expect(Math.max(...steps)).toBe(BATCH);
  expect(counts.at(-1)).toBe(0);
}

it('deletes notices in batches, then what each webhook delivered', async () => {
  await market.owner.query(
    `INSERT INTO account_notices (notice_id, user_id, type, data)
     SELECT 'ntc_' || md5($1 || n), $1, 'call.failed', '{}' FROM generate_series(1, 25) n`,
    [person.userId],
  );
  const hooks = [newId('whk'), newId('whk')];
  for (const hook of hooks) {
    await market.owner.query(
      `INSERT INTO webhooks (webhook_id, user_id, types, sealed) VALUES ($1, $2, ARRAY['invocation.succeeded'], 'x')`,
      [hook, person.userId],
    );
    await market.owner.query(
      `INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, state, started_at,
              finished_at, last_error)
       SELECT 'whd_' || md5($1 || n), 'evt_' || md5($1 || n), 'webhook', $1, 'inv', 'failed', now(), now(), 'it names the person'
         FROM generate_series(1, 25) n`,
      [hook],
    );
  }
  const texts = async () =>
    (
      await market.owner.query(
        'SELECT FROM webhook_deliveries WHERE endpoint_id = ANY ($1) AND last_error IS NOT NULL',
        [hooks],
      )
    ).rowCount ?? -1;
  expectSteps(75, await erased('notices', async () => (await texts()) + (await notices())));
  expect(await count('webhooks WHERE user_id = $1')).toBe(0);
  await market.owner.query('DELETE FROM webhook_deliveries WHERE endpoint_id = ANY ($1)', [hooks]);
});
const notices = () => count('account_notices WHERE user_id = $1');

it('replaces what was written about an account in batches', async () => {
  const { userId: operator } = await registerOperator(market);
  await market.owner.query(
    `INSERT INTO operator_actions (action_id, operator_user_id, action, subject, reason)
     SELECT 'opa_' || md5($1 || n), $2, 'wallet.freeze', $1, 'it names the person' FROM generate_series(1, 25) n`,
    [person.userId, operator],
  );
  const left = () => count(`operator_actions WHERE subject = $1 AND reason <> 'Deleted with the account.'`);
  expectSteps(25, await erased('texts', left));
});

it('replaces ids of mandates in batches, with those below them, and the books agree after each', async () => {
  // A chain: each mandate is delegated by the one before, in an order that is not that of their ids.
  await market.owner.query(
    `INSERT INTO mandates (issuer_user_id, mandate_id, jti, root_jti, parent_id, depth, content_sha256, kid, subject,
            max_units, expires_at)
     SELECT $1, md5(n::text), md5(n::text), 'root', CASE WHEN n % 5 > 1 THEN md5((n - 1)::text) END,
            CASE WHEN n % 5 > 1 THEN n % 5 ELSE 1 END, 'x', 'key', 'agent', 100, now()
       FROM generate_series(1, 25) n`,
    [person.userId],
  );
  const left = () => count(`mandates WHERE issuer_user_id = $1 AND mandate_id NOT LIKE 'deleted-%'`);
  const counts = await erased('mandates', async () => {
    await expectWholeLedger(market);
    return left();
  });
  expectSteps(25, counts);
  const orphans = `mandates m WHERE m.issuer_user_id = $1 AND m.parent_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM mandates p WHERE p.issuer_user_id = $1 AND p.mandate_id = m.parent_id)`;
  expect([await count('mandates WHERE issuer_user_id = $1'), await count(orphans)]).toEqual([25, 0]);
});

it('goes on in a new run of its workflow, which does not ask for the confirmation again', async () => {
  const { owner, environment, temporal } = market;
  for (const table of ['mails', 'security_mails'])
    await owner.query(`DELETE FROM ${table} WHERE recipient = $1`, [person.userId]);
  const { rows } = await owner.query<{ id: string }>(
    'SELECT deletion_id AS id FROM account_deletions WHERE user_id = $1',
    [person.userId],
  );
  const [{ id } = { id: '' }] = rows;
  // As a run that followed another one: its window would be open for a day.
  const input = {
    deletionId: id,
    confirmFromMs: Date.now() + 86_400_000,
    confirmForMs: 1,
    isConfirmed: true,
  };
  const handle = await environment.client.workflow.start('accountDeletion', {
    workflowId: `deletion/${id}`,
    taskQueue: `${temporal.taskQueuePrefix}operations`,
    args: [input],
  });
  expect(await handle.result()).toBe('erased');
  expect(await count(`users WHERE user_id = $1 AND display_name = 'Deleted account'`)).toBe(1);
});
