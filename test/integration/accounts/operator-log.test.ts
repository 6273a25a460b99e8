/**
 * The audit log has one entry for each change by an operator, with operator, action, time and reason. A new operation
 * of operators that changes something needs a case here.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '../../../src/contract/operations';
import { newId } from '../../../src/kit/ids/ids';
import { retainedContext } from '../../../src/services/leaving/retained-records';
import { FIRST_RUBRIC } from '../../../src/verification/scoring/first-rubric';
import { counter, decide, deposit, slash } from '../../support/disputes/bonds';
import { moveBack, sealerOf } from '../../support/ledger/digests';
import { dispute, registerOperator, resolve, respond, succeed } from '../../support/disputes/disputes';
import { PROVIDERS_OF_TEST } from '../../support/billing/providers';
import { marketCommand } from '../../support/cli/market-command';
import { eventually, putLive, register, startMarket, type TestUser } from '../../support/market';
import { DETAILS } from '../../support/payouts/payouts';
import { request } from '../../support/catalogue/publishing';
import { leakedKey } from '../../support/verification/run-evidence';
import { runWith } from '../../support/verification/trust';
import { useAgent, useMarket } from '../../support/use-market';

jest.setTimeout(60_000);

const market = useMarket({});
const agent = useAgent();
let agentId: string;
let operator: TestUser;
let developer: TestUser;
let buyer: TestUser;

beforeAll(async () => {
  operator = await registerOperator(market);
  developer = await register(market, 'developer', 1_000);
  buyer = await register(market, 'buyer', 5_000);
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 1_100 })).agentId;
  await deposit(market, developer, 500);
});

interface Logged {
  action: string;
  subject: string;
  reason: string;
}

const REASON = 'For a reason.';
const post = async (path: string, body: unknown, status = 200) => {
  const reply = await request(market, operator, 'POST', `/v1/operator/${path}`, body);
  if (reply.status !== status) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
};
const confirmed = async () => {
  const person = await register(market, 'buyer');
  await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [person.userId]);
  return person;
};
const because = (more: object = {}) => ({ reason: REASON, ...more });

/** A slash that waits, and a payout that is in a file; each made once. */
let slashId: string | undefined;
let payoutId: string | undefined;

async function aSlash(): Promise<string> {
  if (slashId !== undefined) return slashId;
  const call = await succeed(market, buyer, agentId);
  const made = await slash(
    market,
    operator,
    { agentId, credits: 10, calls: [call] },
    { explanation: REASON },
  );
  slashId = made.body.slash_id;
  return slashId;
}

/** The finding of a run with a leaked key. */
async function aFinding(): Promise<{ findingId: string }> {
  const { rows: versions } = await market.owner.query<{ version_id: string }>(
    'SELECT serving_version_id AS version_id FROM agents WHERE agent_id = $1',
    [agentId],
  );
  await runWith(market, { agentId, versionId: versions[0]?.version_id ?? '' }, leakedKey());
  const { rows } = await market.owner.query<{ finding_id: string }>(
    `SELECT finding_id FROM findings WHERE agent_id = $1 AND fingerprint LIKE 'secret%'`,
    [agentId],
  );
  return { findingId: rows[0]?.finding_id ?? '' };
}

async function aPayout(): Promise<string> {
  if (payoutId !== undefined) return payoutId;
  const { payoutAccounts, payoutRuns } = market.container;
  await succeed(market, buyer, agentId);
  await payoutAccounts.setMethod(developer.userId, 'ach', DETAILS.ach);
  const monday = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 7 * 86_400_000);
  monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7));
  const asOf = monday.toISOString();
  const made = await payoutRuns.reserve({ developerUserId: developer.userId, asOf, attempt: 0 });
  await payoutRuns.writeFile({ method: 'ach', asOf, attempt: 0 });
  payoutId = made?.payoutId ?? '';
  return payoutId;
}

const document = (version: string) => ({ ...structuredClone(FIRST_RUBRIC), version });

const DEEDS: Record<string, () => Promise<Logged>> = {
  async suspendAgent() {
    await post(`agents/${agentId}/suspend`, because());
    return { action: 'agent.suspend', subject: agentId, reason: REASON };
  },
  async reinstateAgent() {
    await post(`agents/${agentId}/reinstate`, because());
    return { action: 'agent.reinstate', subject: agentId, reason: REASON };
  },
  async freezeWallet() {
    await post(`accounts/${buyer.userId}/freeze`, because());
    return { action: 'wallet.freeze', subject: buyer.userId, reason: REASON };
  },
  async unfreezeWallet() {
    await post(`accounts/${buyer.userId}/unfreeze`, because());
    return { action: 'wallet.unfreeze', subject: buyer.userId, reason: REASON };
  },
  async removeLostAuthenticator() {
    const { userId } = await register(market, 'buyer');
    await market.owner.query('UPDATE users SET authenticator_since = now() WHERE user_id = $1', [userId]);
    await post(`accounts/${userId}/remove-authenticator`, because());
    return { action: 'authenticator.remove', subject: userId, reason: REASON };
  },
  async readRetainedRecord() {
    const { userId } = await register(market, 'buyer');
    const sealed = await market.container.cipher.seal(
      Buffer.from('{"invoices":[]}'),
      retainedContext(userId),
    );
    await market.owner.query(
      `INSERT INTO retained_records (user_id, sealed, ends_at) VALUES ($1, $2, now() + interval '1 day')`,
      [userId, sealed],
    );
    await post(`accounts/${userId}/retained-record`, because());
    return { action: 'retained_record.read', subject: userId, reason: REASON };
  },
  async permitPasswordLogins() {
    const orgId = newId('org');
    await market.owner.query(
      `INSERT INTO users (user_id, email, password_hash, display_name, role, kind)
       VALUES ($1, $1, '', 'Example Ltd', 'buyer', 'organisation')`,
      [orgId],
    );
    await market.owner.query(
      `INSERT INTO organisations (org_id, contact_email, created_by, require_sso) VALUES ($1, 'office@example.test', $2, true)`,
      [orgId, buyer.userId],
    );
    await post(`organisations/${orgId}/password-logins`, because());
    return { action: 'organisation.permit_passwords', subject: orgId, reason: REASON };
  },
  async grantOperator() {
    const person = await confirmed();
    await post(`accounts/${person.userId}/grant`, because());
    return { action: 'operator.grant', subject: person.userId, reason: REASON };
  },
  async revokeOperator() {
    const person = await confirmed();
    await post(`accounts/${person.userId}/grant`, { reason: 'First.' });
    await post(`accounts/${person.userId}/revoke`, because());
    return { action: 'operator.revoke', subject: person.userId, reason: REASON };
  },
  async resolveOperatorPayment() {
    await market.container.pool.query(
      `SELECT payment_record('razorpay', 'evt_1', 'payment_link.paid', 'pay_odd', 'top_none', 500, 'INR')`,
    );
    await post('payments/pay_odd/resolve', because({ decision: 'return' }));
    return { action: 'payment.resolve', subject: 'pay_odd', reason: REASON };
  },
  async refundOperatorPayment() {
    const provider = await PROVIDERS_OF_TEST.razorpay();
    const other = await startMarket({ share: market, operations: false, env: provider.env });
    try {
      await market.container.pool.query(
        `SELECT payment_record('razorpay', 'evt_2', 'payment_link.paid', 'pay_much', 'top_none', 500, 'INR')`,
      );
      const path = '/v1/operator/payments/pay_much/refund';
      expect((await request(other, operator, 'POST', path, because())).status).toBe(200);
      return { action: 'payment.refund', subject: 'pay_much', reason: REASON };
    } finally {
      await other.stop();
      await provider.stop();
    }
  },
  async resolveDispute() {
    const { body } = await dispute(market, buyer, await succeed(market, buyer, agentId));
    await respond(market, developer, body.dispute_id, 'contest');
    const { status } = await resolve(market, operator, body.dispute_id, 'buyer');
    expect(status).toBe(200);
    return { action: 'dispute.resolve', subject: body.dispute_id, reason: 'We have looked at it.' };
  },
  async fastForwardWorkflow() {
    const { body } = await dispute(market, buyer, await succeed(market, buyer, agentId));
    const subject = `dispute/${body.dispute_id}`;
    const travel = { workflow_id: subject, seconds: 3_600 };
    await eventually(() =>
      post('workflows/fast-forward', travel).then(
        () => true,
        () => false,
      ),
    );
    return { action: 'workflow.fast_forward', subject, reason: '3600 s' };
  },
  async applySlash() {
    return { action: 'slash.apply', subject: await aSlash(), reason: REASON };
  },
  async resolveSlash() {
    const subject = await aSlash();
    await counter(market, developer, subject);
    expect((await decide(market, operator, subject, 'overturned')).status).toBe(200);
    expect((await decide(market, operator, subject, 'upheld')).status).toBe(409);
    return { action: 'slash.resolve', subject, reason: 'CANARY-reason-0f0f' };
  },
  async settlePayout() {
    const subject = await aPayout();
    await post(`payouts/${subject}/settle`, because({ result: 'returned' }));
    await post(`payouts/${subject}/settle`, because({ result: 'paid' }), 409);
    return { action: 'payout.settle', subject, reason: REASON };
  },
  async returnPayout() {
    await succeed(market, buyer, agentId);
    await market.container.payoutAccounts.setMethod(developer.userId, 'ach', DETAILS.ach);
    const asOf = '2034-01-02T00:00:00.000Z';
    const share = { developerUserId: developer.userId, asOf, attempt: 0 };
    const subject = (await market.container.payoutRuns.reserve(share))?.payoutId ?? '';
    await post(`payouts/${subject}/return`, because());
    await post(`payouts/${subject}/return`, because(), 409);
    return { action: 'payout.return', subject, reason: REASON };
  },
  async retryPayout() {
    const subject = await aPayout();
    await post(`payouts/${subject}/retry`, because(), 202);
    const open = 'SELECT FROM payout_runs WHERE ended_at IS NULL';
    await eventually(async () => (await market.owner.query(open)).rowCount === 0, 20_000);
    return { action: 'payout.retry', subject, reason: REASON };
  },
  async reviewTaxForm() {
    const form = { kind: 'w9', legalName: 'Ada', country: 'US', taxId: '123-45-6789' } as const;
    await market.container.payoutAccounts.submitTaxForm(developer.userId, form);
    await post(`tax-forms/${developer.userId}/review`, because({ decision: 'accepted' }));
    return { action: 'tax_form.review', subject: developer.userId, reason: REASON };
  },
  async loadExchangeRate() {
    const rate = {
      pair: 'USD/INR',
      rate: '84.1',
      observed_at: '2026-11-15T12:00:00.000Z',
      source: 'the bank',
    };
    const path = `${market.url}/v1/operator/exchange-rates`;
    const headers = { cookie: operator.cookie, 'content-type': 'application/json' };
    for (const time of ['once', 'again']) {
      const { status } = await fetch(path, { method: 'POST', headers, body: JSON.stringify(rate) });
      expect([time, status]).toEqual([time, 204]);
    }
    return { action: 'exchange_rate.load', subject: 'USD/INR', reason: 'source: the bank' };
  },
  async removeReview() {
    const reviewer = await register(market, 'buyer', 2_000);
    const call = await succeed(market, reviewer, agentId);
    const { review_id: subject } = (
      await request<{ review_id: string }>(market, reviewer, 'POST', `/v1/invocations/${call}/review`, {
        rating: 1,
      })
    ).body;
    await post(`reviews/${subject}/remove`, because());
    return { action: 'review.remove', subject, reason: REASON };
  },
  async resolveContest() {
    const { findingId } = await aFinding();
    const { contestId } = await market.container.contests.open(developer.userId, agentId, findingId, 'No.');
    const decision = because({ decision: 'refused' });
    await post(`contests/${contestId}/resolve`, decision);
    await post(`contests/${contestId}/resolve`, decision, 409);
    return { action: 'finding.refuse_contest', subject: findingId, reason: REASON };
  },
  async waiveFinding() {
    const { findingId } = await aFinding();
    await post(`agents/${agentId}/findings/${findingId}/waive`, because(), 201);
    await post(`agents/${agentId}/findings/${findingId}/waive`, because(), 409);
    return { action: 'finding.waive', subject: findingId, reason: REASON };
  },
  async revokeWaiver() {
    const { rows } = await market.owner.query<{ waiver_id: string }>('SELECT waiver_id FROM finding_waivers');
    const subject = rows[0]?.waiver_id ?? '';
    await post(`waivers/${subject}/revoke`, because());
    await post(`waivers/${subject}/revoke`, because(), 409);
    return { action: 'finding.revoke_waiver', subject, reason: REASON };
  },
  async putTaxSettings() {
    const example = operations.find(({ id }) => id === 'putTaxSettings')?.examples?.request;
    const body = { ...(example as object), ...because() };
    const set = await request<{ settings_id: string }>(
      market,
      operator,
      'PUT',
      '/v1/operator/tax-settings',
      body,
    );
    return { action: 'tax.change', subject: set.body.settings_id, reason: REASON };
  },
  async publishRubric() {
    await post('rubrics', { document: document('2031.1'), changelog: 'Another year.' }, 201);
    return { action: 'rubric.publish', subject: '2031.1', reason: 'Another year.' };
  },
  async withdrawRubric() {
    await post('rubrics', { document: document('2031.2'), changelog: 'x' }, 409);
    for (const time of ['once', 'again']) await post('rubrics/2031.1/withdraw', because({ reason: time }));
    return { action: 'rubric.withdraw', subject: '2031.1', reason: 'once' };
  },
};

interface Page {
  items: Record<string, unknown>[];
  next_cursor: string | null;
  total: number;
}

const log = async (query: Record<string, string>) =>
  (
    await request<Page>(
      market,
      operator,
      'GET',
      `/v1/operator/actions?${new URLSearchParams(query).toString()}`,
    )
  ).body;

const changing = operations.filter(({ roles, method }) => roles?.includes('operator') && method !== 'get');

it.each(changing.map(({ id }) => id))(
  '%s is in the log with operator, time, subject and reason',
  async (id) => {
    const deed = DEEDS[id];
    if (!deed) throw new Error(`${id} has no deed here: write it to operator_actions, and try it`);
    const before = Date.now();
    const { action, subject, reason } = await deed();
    const { items } = await log({ action, subject });
    const who = {
      operator_user_id: operator.userId,
      operator_email: operator.email,
      operator_name: expect.any(String) as string,
      run_by: null,
    };
    expect(items).toMatchObject([{ action, subject, reason, ...who }]);
    expect(Date.parse(String(items[0]?.['created_at']))).toBeGreaterThan(before - 60_000);
  },
);

it('lists no action that no operation performs', () => {
  expect(Object.keys(DEEDS).sort()).toEqual(changing.map(({ id }) => id).sort());
});

it('is read in pages, by operator, action and time, by operators alone', async () => {
  const all = await log({ operator_user_id: operator.userId, limit: '100' });
  expect(all.total).toBe(all.items.length);
  const first = await log({ operator_user_id: operator.userId, limit: '2' });
  const next = await log({
    operator_user_id: operator.userId,
    limit: '2',
    cursor: first.next_cursor ?? '',
  });
  expect([...first.items, ...next.items]).toEqual(all.items.slice(0, 4));
  const since = String(all.items[2]?.['created_at']);
  expect((await log({ since })).items.length).toBeGreaterThan(2);
  expect((await log({ since, until: since })).items).toEqual([]);
  const path = '/v1/operator/actions';
  expect((await request(market, operator, 'GET', `${path}?since=2026-02-30T00:00:00Z`)).status).toBe(422);
  expect((await request(market, developer, 'GET', path)).status).toBe(403);
});

it('stands beside the sealed days of the ledger', async () => {
  const path = '/v1/operator/ledger/digests';
  await moveBack(market, 3);
  const container = market.container;
  await sealerOf({ app: container.pool }, { sealing: container.cipher })();
  const all = await request<Page>(market, operator, 'GET', path);
  expect(all.body.items[all.body.total - 1]).toMatchObject({
    previous_sha256: '0'.repeat(64),
    seal: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
  });
  const first = await request<Page>(market, operator, 'GET', `${path}?limit=1`);
  const next = await request<Page>(
    market,
    operator,
    'GET',
    `${path}?limit=1&cursor=${first.body.next_cursor}`,
  );
  expect([...first.body.items, ...next.body.items]).toEqual(all.body.items.slice(0, 2));
  expect((await request(market, buyer, 'GET', path)).status).toBe(403);
});

it('contains changes that commands make in the database, and the command reads it', async () => {
  const command = marketCommand(market.url, {
    DATABASE_URL: market.database.appUrl,
    MASTER_KEYS: market.config.MASTER_KEYS,
  });
  try {
    const folder = mkdtempSync(join(tmpdir(), 'advisories-'));
    writeFileSync(join(folder, 'none.txt'), '');
    const chosen = await register(market, 'buyer');
    const deeds: [string[], string][] = [
      [['operator', 'grant', chosen.email], 'operator.grant'],
      [['keys', 'rotate'], 'master_key.rotate'],
      [['evidence', 'rotate'], 'signing_key.rotate'],
      [['advisories', 'import', folder], 'advisory.import'],
    ];
    for (const [args, action] of deeds) {
      expect(await command.run([...args, '--reason', REASON])).toMatchObject({ code: 0, stderr: '' });
      const { items } = await log({ action });
      const who = { operator_user_id: null, run_by: expect.stringMatching(/.+@.+/) as string };
      expect(items[0]).toMatchObject({ action, reason: REASON, ...who });
    }
    const login = ['login', '--email', chosen.email, '--password-stdin'];
    expect(await command.run(login, { input: 'correct horse battery\n' })).toMatchObject({ code: 0 });
    const shown = await command.run(['operator', 'log', '--action', 'operator.grant', '--limit', '1']);
    expect(shown.stdout).toMatch(new RegExp(`operator\\.grant +${chosen.userId} +${REASON}`));
  } finally {
    command.remove();
  }
});
