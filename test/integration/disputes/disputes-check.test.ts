import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { withClient } from '../../../src/runtime/postgres/database';
import { testStack } from '../../support/stack/database';
import { request } from '../../support/catalogue/publishing';
import { dispute, respond, succeed } from '../../support/disputes/disputes';
import { expectWholeLedger, invoke, putLive, register, type TestUser } from '../../support/market';
import { superuserUrl } from '../../support/stack/stack';
import { useAgent, useMarket } from '../../support/use-market';

/** What `npm run ledger:check` finds after an attacker with all rights has edited disputes without the triggers. */
const market = useMarket({});
const agent = useAgent();
const ids = { refunded: '', accepted: '', open: '', plain: '', settled: '' };

beforeAll(async () => {
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10, timeoutMs: 20_000 });
  ids.plain = await succeed(market, buyer, agentId);
  ids.open = await disputed(buyer, agentId);
  ids.accepted = await disputed(buyer, agentId);
  await respond(market, developer, ids.accepted, 'accept');
  ids.settled = await disputed(buyer, agentId);
  await respond(market, developer, ids.settled, 'contest');
  const path = `/v1/billing/disputes/${ids.settled}/offer`;
  const made = await request<{ offer: { offer_id: string } }>(market, developer, 'POST', path, {
    refund_credits: 4,
  });
  const taken = { offer_id: made.body.offer.offer_id, decision: 'accept' };
  expect((await request(market, buyer, 'POST', `${path}/answer`, taken)).status).toBe(200);
  agent.behave({ kind: 'hangs' });
  agent.forget();
  const reply = invoke(market, buyer, agentId, { input: { text: 'wait' } });
  await agent.waitForDeliveries(1);
  ids.refunded = (await dispute(market, buyer, agent.deliveries[0]?.invocationId ?? '')).body.dispute_id;
  await reply;
});

async function disputed(buyer: TestUser, agentId: string): Promise<string> {
  return (await dispute(market, buyer, await succeed(market, buyer, agentId))).body.dispute_id;
}

const lotOf = (disputeId: string) => `(SELECT invocation_id FROM disputes WHERE dispute_id = '${disputeId}')`;

it.each<[string, () => [edit: string, undo: string, subject: string]]>([
  [
    'the recorded refund is larger than the real one',
    () => [
      `UPDATE disputes SET refunded_units = 2000 WHERE dispute_id = '${ids.accepted}'`,
      `UPDATE disputes SET refunded_units = 1000 WHERE dispute_id = '${ids.accepted}'`,
      ids.accepted,
    ],
  ],
  [
    'a recorded dispute of a running call lacks its refund',
    () => [
      `UPDATE disputes SET refunded_units = 0 WHERE dispute_id = '${ids.refunded}'`,
      `UPDATE disputes SET refunded_units = 1000 WHERE dispute_id = '${ids.refunded}'`,
      ids.refunded,
    ],
  ],
  [
    'the recorded part is larger than the real one',
    () => [
      `UPDATE disputes SET refunded_units = 500 WHERE dispute_id = '${ids.settled}'`,
      `UPDATE disputes SET refunded_units = 400 WHERE dispute_id = '${ids.settled}'`,
      ids.settled,
    ],
  ],
  [
    'an accepted offer is recorded as declined',
    () => [
      `UPDATE dispute_offers SET status = 'declined' WHERE dispute_id = '${ids.settled}'`,
      `UPDATE dispute_offers SET status = 'accepted' WHERE dispute_id = '${ids.settled}'`,
      ids.settled,
    ],
  ],
  [
    'an open case lets its lot mature',
    () => [
      `UPDATE earnings SET dispute_open = false WHERE invocation_id = ${lotOf(ids.open)}`,
      `UPDATE earnings SET dispute_open = true WHERE invocation_id = ${lotOf(ids.open)}`,
      ids.open,
    ],
  ],
  [
    'a lot is kept without a dispute',
    () => [
      `UPDATE earnings SET dispute_open = true WHERE invocation_id = '${ids.plain}'`,
      `UPDATE earnings SET dispute_open = false WHERE invocation_id = '${ids.plain}'`,
      ids.plain,
    ],
  ],
  [
    'an open case is recorded as accepted',
    () => [
      `UPDATE disputes SET status = 'accepted', resolution = 'operator', resolved_by = 'x', resolved_at = now()
       WHERE dispute_id = '${ids.open}'`,
      `UPDATE disputes SET status = 'open', resolution = NULL, resolved_by = NULL, resolved_at = NULL
       WHERE dispute_id = '${ids.open}'`,
      ids.open,
    ],
  ],
])('finds that %s', async (_what, forgery) => {
  const [edit, undo, subject] = forgery();
  await expectWholeLedger(market);
  await behindTheTriggers(edit);
  const { proofs } = await checkLedger(market.container.pool);
  await behindTheTriggers(undo);
  // The sum of a day of lots names its developer and day: earning days are compared in ledger-check.test.ts.
  const failed = proofs.filter((proof) => proof.total > 0 && proof.name !== 'earning days');
  expect(
    failed.map(({ name, findings }) => [name, [...new Set(findings.map((finding) => finding.subject))]]),
  ).toEqual([['disputes', [subject]]]);
});

it.each([
  `UPDATE disputes SET refunded_units = 1`,
  `UPDATE disputes SET status = 'lost'`,
  `DELETE FROM disputes`,
  `UPDATE dispute_texts SET body = ''`,
  `INSERT INTO disputes (dispute_id) VALUES ('dsp_x')`,
  `SELECT dispute_refund_charge('inv_x')`,
  `SELECT dispute_stop_call('inv_x')`,
  `SELECT dispute_offer_add('dsp_x', 'dof_x', 1, NULL, now())`,
  `UPDATE dispute_offers SET units = 1`,
])('the role of the service may not: %s', async (sql) => {
  await expect(market.container.pool.query(sql)).rejects.toThrow('permission denied');
});

async function behindTheTriggers(sql: string): Promise<void> {
  const url = superuserUrl(testStack().postgresPort, market.database.name);
  await withClient(url, async (client) => {
    await client.query(`SET session_replication_role = replica; ${sql}`);
  });
}
