/** The two sides of a dispute and its judges: who may see and do what, and what their lists show. */
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { mailBox } from '../../support/accounts/mails';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import {
  dispute,
  openCase,
  readDispute,
  registerOperator,
  resolve,
  respond,
  succeed,
  type DisputeList,
} from '../../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { type Reply, request } from '../../support/catalogue/publishing';

const mails = mailBox();
let market: TestMarket;
let developer: TestUser;
let operator: TestUser;
let buyer: TestUser;
let agent: TestAgent;
let agentId: string;
/** Until the last test, which moves money by hand. */
let isWhole = true;

beforeAll(async () => {
  market = await startMarket({ env: { MAIL_URL: mails.url } });
  operator = await registerOperator(market);
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
  mails.close();
});
beforeEach(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 100);
  agent.behave({ kind: 'echo' });
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
});
afterEach(() => (isWhole ? expectWholeLedger(market) : undefined));

describe('attachments', () => {
  /** The agent echoes. */
  const attachments = { input: { text: 'hello' }, output: { text: 'hello' } };
  const read = (who: TestUser, path: string) =>
    request<{
      attachments: unknown;
      call: { credits_charged: number; input_bytes: number | null; output_bytes: number | null };
    }>(market, who, 'GET', path);

  it('show the input and the output of the call to the developer and to operators, and are stored encrypted', async () => {
    const invocationId = await succeed(market, buyer, agentId);
    const { status, body } = await dispute(market, buyer, invocationId, { attachments });
    expect(status).toBe(201);
    for (const [who, path] of [
      [developer, '/v1/billing/disputes'],
      [buyer, '/v1/billing/disputes'],
      [operator, '/v1/operator/disputes'],
    ] as const) {
      const reply = await read(who, `${path}/${body.dispute_id}`);
      const bytes = JSON.stringify(attachments.input).length;
      const call = { credits_charged: 10, input_bytes: bytes, output_bytes: bytes };
      expect(reply.body).toMatchObject({ attachments, call });
    }
    const { rows } = await market.owner.query<{ sealed: Buffer }>(
      'SELECT sealed FROM dispute_attachments WHERE dispute_id = $1',
      [body.dispute_id],
    );
    expect(rows).toHaveLength(2);
    expect(rows.filter(({ sealed }) => sealed.includes('hello'))).toEqual([]);
  });

  it('are refused when they are not of the call, and no case is opened', async () => {
    const invocationId = await succeed(market, buyer, agentId);
    const other = { input: { text: 'other' }, output: { text: 'other' } };
    const wrong = await dispute(market, buyer, invocationId, { attachments: other });
    expect(wrong).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'attachments', 'input'] }, { loc: ['body', 'attachments', 'output'] }],
      },
    });
    const large = await dispute(market, buyer, invocationId, {
      attachments: { output: 'x'.repeat(300_000) },
    });
    expect(large.status).toBe(422);
    expect((await dispute(market, buyer, invocationId)).status).toBe(201);
  });

  it('are deleted 90 days after the decision', async () => {
    const invocationId = await succeed(market, buyer, agentId);
    const { body } = await dispute(market, buyer, invocationId, {
      attachments: { input: attachments.input },
    });
    await respond(market, developer, body.dispute_id, 'accept');
    const purge = () => market.container.retention.purge(AbortSignal.timeout(10_000), () => undefined);
    await purge();
    const shown = () => read(buyer, `/v1/billing/disputes/${body.dispute_id}`);
    expect((await shown()).body.attachments).toEqual({ input: attachments.input });
    await market.owner.query('ALTER TABLE disputes DISABLE TRIGGER USER');
    await market.owner.query(
      `UPDATE disputes SET resolved_at = resolved_at - interval '91 days' WHERE dispute_id = $1`,
      [body.dispute_id],
    );
    await market.owner.query('ALTER TABLE disputes ENABLE TRIGGER USER');
    expect((await purge()).attachments).toBe(1);
    expect((await shown()).body.attachments).toEqual({});
  });
});

describe('permissions', () => {
  it('the two sides read a case, others get 404', async () => {
    const { disputeId, invocationId } = await openCase(market, buyer, agentId);
    const stranger = await register(market, 'developer');
    for (const [who, role] of [
      [buyer, 'buyer'],
      [developer, 'developer'],
    ] as const) {
      const { status, body } = await readDispute(market, who, disputeId);
      expect([status, body.role, body.invocation_id]).toEqual([200, role, invocationId]);
      expect(JSON.stringify(body)).not.toContain('usr_');
    }
    for (const who of [stranger, operator]) {
      expect((await readDispute(market, who, disputeId)).status).toBe(404);
    }
    expect((await respond(market, stranger, disputeId, 'accept')).status).toBe(404);
    const byBuyer = await respond(market, buyer, disputeId, 'accept');
    expect([byBuyer.status, byBuyer.body.error?.code]).toEqual([403, 'forbidden']);
    for (const who of [buyer, developer]) {
      expect((await resolve(market, who, disputeId, 'buyer')).status).toBe(403);
      expect((await request(market, who, 'GET', '/v1/operator/disputes')).status).toBe(403);
    }
    expect((await dispute(market, stranger, invocationId)).status).toBe(404);
    expect((await request(market, { cookie: '' }, 'GET', `/v1/billing/disputes/${disputeId}`)).status).toBe(
      401,
    );
    expect((await readDispute(market, buyer, disputeId)).body.status).toBe('open');
  });

  it('a call that failed, or that does not exist, cannot be disputed', async () => {
    agent.behave({ kind: 'status', status: 500 });
    const failed = await invoke(market, buyer, agentId, { input: { text: 'x' } });
    const reply = await dispute(market, buyer, failed.body.invocation_id ?? '');
    expect([reply.status, reply.body.error?.code]).toEqual([409, 'invalid_state']);
    expect((await dispute(market, buyer, `inv_${'0'.repeat(32)}`)).status).toBe(404);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown reason', { reason: 'because' }, 'reason'],
    ['an empty description', { description: '' }, 'description'],
    ['a blank description', { description: ' \n' }, 'description'],
    ['a description with NUL', { description: 'a\u0000b' }, 'description'],
    ['a lone surrogate', { description: 'a\ud800' }, 'description'],
    ['too long a description', { description: 'x'.repeat(4_001) }, 'description'],
    ['an id of another kind', { invocation_id: 'dsp_1' }, 'invocation_id'],
    ['an id that is no text', { invocation_id: { $ne: null } }, 'invocation_id'],
    ['an unknown field', { refund: true }, 'refund'],
  ])('%s is 422', async (_what, more, field) => {
    const reply = await dispute(market, buyer, `inv_${'0'.repeat(32)}`, more);
    expect(reply.status).toBe(422);
    expect(reply.body.detail?.[0]?.loc).toEqual(['body', field]);
  });

  it('a response or a decision of another kind is 422, and the case stays open', async () => {
    const { disputeId } = await openCase(market, buyer, agentId);
    expect((await respond(market, developer, disputeId, 'silence')).status).toBe(422);
    expect((await resolve(market, operator, disputeId, 'nobody')).status).toBe(422);
    expect((await readDispute(market, buyer, disputeId)).body.status).toBe('open');
    expect((await respond(market, developer, `dsp_${'0'.repeat(32)}`, 'accept')).status).toBe(404);
    expect((await respond(market, developer, 'dsp_x', 'accept')).status).toBe(404);
  });
});

describe('notices', () => {
  interface Notices {
    items: { notice_id: string; type: string; message: string; subject_id: string; read: boolean }[];
    total: number;
  }
  const list = async (who: TestUser, query = '') =>
    (await request<Notices>(market, who, 'GET', `/v1/notices${query}`)).body;
  const waiting = async (who: TestUser) =>
    (await request<object>(market, who, 'GET', '/v1/notices/waiting')).body;
  const read = async (who: TestUser, body: object) =>
    (await request<object>(market, who, 'POST', '/v1/notices/read', body)).body;

  it('say whose answer and whose decision a dispute waits for, until they are read', async () => {
    const before = (await waiting(operator)) as { decisions: number };
    const { disputeId } = await openCase(market, buyer, agentId);
    expect(await waiting(developer)).toEqual({
      unread: 1,
      disputes: 1,
      slashes: 0,
      questions: 0,
      decisions: null,
    });
    expect(await waiting(buyer)).toEqual({
      unread: 0,
      disputes: 0,
      slashes: 0,
      questions: 0,
      decisions: null,
    });
    const opened = (await list(developer)).items[0];
    expect(opened).toMatchObject({ type: 'dispute.opened', subject_id: disputeId, read: false });
    expect(opened?.message).toBe(
      `A buyer disputes a call of ${agentId}. Without an answer of yours, it is accepted.`,
    );

    await respond(market, developer, disputeId, 'contest');
    expect(await waiting(operator)).toMatchObject({ decisions: before.decisions + 1 });
    await resolve(market, operator, disputeId, 'buyer');
    expect((await list(buyer)).items).toMatchObject([{ type: 'dispute.resolved', subject_id: disputeId }]);
    expect(await read(developer, { notice_ids: [opened?.notice_id] })).toMatchObject({
      unread: 1,
      disputes: 0,
    });
    expect((await list(developer, '?unread=true')).items).toMatchObject([{ type: 'dispute.resolved' }]);
    expect(await list(developer)).toMatchObject({ total: 2 });
  });

  it('are marked as read by their account alone', async () => {
    await openCase(market, buyer, agentId);
    const [notice] = (await list(developer)).items;
    await read(buyer, { notice_ids: [notice?.notice_id] });
    await read(buyer, {});
    expect((await list(developer)).items[0]?.read).toBe(false);
    expect(await read(developer, {})).toMatchObject({ unread: 0 });
  });

  it('report a frozen wallet', async () => {
    await market.owner.query('SELECT wallet_set_frozen($1, true), wallet_set_frozen($1, false)', [
      buyer.userId,
    ]);
    expect((await list(buyer)).items.map(({ type }) => type).sort()).toEqual([
      'wallet.frozen',
      'wallet.unfrozen',
    ]);
  });

  it('report that a wallet is no longer frozen once its last cause has ended', async () => {
    const frozen = async (sql: string) => {
      await market.owner.query(sql, [buyer.userId]);
      return (await list(buyer)).items.filter(({ type }) => type === 'wallet.unfrozen').length;
    };
    await frozen(`INSERT INTO frozen_wallets (user_id, cause) VALUES ($1, 'debt')`);
    await frozen('SELECT wallet_set_frozen($1, true)');
    expect(await frozen('SELECT wallet_set_frozen($1, false)')).toBe(0);
    expect(await frozen('DELETE FROM frozen_wallets WHERE user_id = $1')).toBe(1);
  });

  it('leave out types that a later release wrote, and go on behind them', async () => {
    for (const type of ['agent.delisted', 'agent.renamed', 'agent.relisted', 'agent.renamed'])
      await market.owner.query(
        `INSERT INTO account_notices (notice_id, user_id, type, data) VALUES (ledger_new_id('ntc'), $1, $2, '{}')`,
        [buyer.userId, type],
      );
    const shown: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/v1/notices?limit=1${cursor && `&cursor=${cursor}`}`;
      const page: Reply<Notices & { next_cursor: string | null }> = await request(market, buyer, 'GET', path);
      expect(page.status).toBe(200);
      shown.push(...page.body.items.map(({ type }) => type));
      cursor = page.body.next_cursor;
    }
    expect(shown).toEqual(['agent.relisted', 'agent.delisted']);
  });

  it('do not keep the changelog of a rubric', async () => {
    await market.owner.query(`SELECT event_record('rubric.announced', $2, ARRAY[$1::text])`, [
      developer.userId,
      { rubric_version: '2099.1', changelog: 'x'.repeat(10_000) },
    ]);
    const { rows } = await market.owner.query('SELECT data FROM account_notices WHERE user_id = $1', [
      developer.userId,
    ]);
    expect(rows).toEqual([{ data: { rubric_version: '2099.1' } }]);
  });
});

describe('mails about notices', () => {
  const arrived = async (who: TestUser, count: number) => {
    await eventually(() => Promise.resolve(mails.noticesTo(who.email).length >= count));
    return mails.noticesTo(who.email).slice(count - 1);
  };
  const remindNow = (who: TestUser) =>
    market.owner.query('UPDATE notice_mails SET due_at = now() WHERE user_id = $1 AND is_reminder', [
      who.userId,
    ]);
  const waitUntilNoneIsDue = (who: TestUser) =>
    eventually(async () => {
      const { rowCount } = await market.owner.query(
        'SELECT FROM notice_mails WHERE user_id = $1 AND due_at < now() + interval $$1 hour$$',
        [who.userId],
      );
      return rowCount === 0;
    });

  it('say until when a dispute waits for an answer, again a day before, and how it is decided', async () => {
    const { disputeId } = await openCase(market, buyer, agentId);
    const link = `${market.config.PUBLIC_ORIGIN}/console/disputes/${disputeId}\n`;
    const [opened] = await arrived(developer, 1);
    expect(opened?.subject).toBe('A buyer disputes a call of your agent');
    expect(opened?.text).toMatch(/ Answer by \d{1,2} \w+ \d{4}, \d\d:\d\d UTC, or the call is refunded\./);
    expect(opened?.text).toContain(link);
    const { rows } = await market.owner.query<{ hours: number }>(
      `SELECT extract(epoch FROM due_at - now())::float8 / 3600 AS hours FROM notice_mails
        WHERE user_id = $1 AND is_reminder`,
      [developer.userId],
    );
    // The dispute is open for 72 hours, and the hour begins up to an hour before.
    expect(rows[0]?.hours).toBeGreaterThan(46.9);
    expect(rows[0]?.hours).toBeLessThan(48);
    await remindNow(developer);
    const [reminder] = await arrived(developer, 2);
    expect(reminder?.subject).toBe('Less than a day is left: A buyer disputes a call of your agent');
    await respond(market, developer, disputeId, 'accept');
    expect((await arrived(buyer, 1))[0]).toMatchObject({
      subject: 'A dispute is decided',
      text: expect.stringContaining('10 credits were refunded.') as string,
    });
    expect((await arrived(developer, 3)).map(({ subject }) => subject)).toEqual(['A dispute is decided']);
  });

  it('do not remind of what was answered, and are not sent about what an account has turned off', async () => {
    const set = (body: object) => request<object>(market, developer, 'PUT', '/v1/notices/mails', body);
    const topics = [
      'agents',
      'disputes',
      'bond',
      'payouts',
      'wallet',
      'prices',
      'budgets',
      'keys',
      'logins',
      'webhooks',
    ];
    const all = Object.fromEntries(topics.map((topic) => [topic, true]));
    expect((await request(market, developer, 'GET', '/v1/notices/mails')).body).toEqual(all);
    const answered = await openCase(market, buyer, agentId);
    await arrived(developer, 1);
    await respond(market, developer, answered.disputeId, 'contest');
    await remindNow(developer);
    await waitUntilNoneIsDue(developer);
    expect((await set({ ...all, disputes: false })).body).toEqual({ ...all, disputes: false });
    await resolve(market, operator, answered.disputeId, 'buyer');
    await waitUntilNoneIsDue(developer);
    expect(mails.noticesTo(developer.email)).toHaveLength(1);
    expect((await set({ ...all, disputes: 'no' })).status).toBe(422);
    expect((await set({ disputes: true })).body).toEqual(all);
  });
});

describe('lists', () => {
  it('show each side its own, filtered and paged', async () => {
    const opened = [];
    for (let n = 0; n < 3; n += 1) opened.push((await openCase(market, buyer, agentId)).disputeId);
    const newest = [...opened].reverse();
    await respond(market, developer, opened[0] ?? '', 'accept');
    const list = async (who: TestUser, query = '') =>
      (await request<DisputeList>(market, who, 'GET', `/v1/billing/disputes${query}`)).body;
    const idsOf = (found: DisputeList) => found.items.map((item) => item.dispute_id);
    expect(idsOf(await list(buyer))).toEqual(newest);
    expect(idsOf(await list(developer))).toEqual(newest);
    expect((await list(developer)).items.map((item) => item.role)).toEqual([
      'developer',
      'developer',
      'developer',
    ]);
    expect((await list(developer, '?role=buyer')).total).toBe(0);
    expect(idsOf(await list(buyer, '?status=open&role=buyer'))).toEqual(newest.slice(0, 2));
    expect((await list(await register(market, 'buyer'))).items).toEqual([]);
    const first = await list(buyer, '?limit=2');
    expect([idsOf(first), first.total]).toEqual([newest.slice(0, 2), 3]);
    const second = await list(buyer, `?limit=2&cursor=${first.next_cursor}`);
    expect([idsOf(second), second.next_cursor]).toEqual([newest.slice(2), null]);
    const foreign = await request(
      market,
      developer,
      'GET',
      `/v1/billing/disputes?cursor=${first.next_cursor}`,
    );
    expect(foreign.status).toBe(422);
  });

  it('show operators what is not decided, with its deadline', async () => {
    const { disputeId } = await openCase(market, buyer, agentId);
    const decided = await openCase(market, buyer, agentId);
    await respond(market, developer, decided.disputeId, 'accept');
    await respond(market, developer, disputeId, 'contest');
    const { body } = await request<DisputeList>(market, operator, 'GET', '/v1/operator/disputes?limit=100');
    const ids = body.items.map((item) => item.dispute_id);
    expect(ids).toContain(disputeId);
    expect(ids).not.toContain(decided.disputeId);
    const found = body.items.find((item) => item.dispute_id === disputeId);
    expect(found).toMatchObject({
      buyer_user_id: buyer.userId,
      developer_user_id: developer.userId,
      status: 'contested',
    });
    expect(Date.parse(found?.respond_by ?? '') - Date.parse(found?.opened_at ?? '')).toBe(72 * 3_600_000);
    const one = await request(market, operator, 'GET', `/v1/operator/disputes/${disputeId}`);
    expect(one.body).toMatchObject({ ...found, call: { credits_charged: 10 }, attachments: {} });
  });
});

it('a success whose earnings were paid out is taken from wallet and bond, and the platform bears the rest', async () => {
  isWhole = false;
  const left = (user: TestUser | null, kind: string) => balance(market.owner, user && user.userId, kind);
  const { invocationId, disputeId } = await openCase(market, buyer, agentId);
  const fees = await left(null, 'fees');
  // The state after a payout: 470 units were paid out, 300 and 200 are in wallet and bond.
  await market.owner.query(`SELECT ledger_roll_up_locked(ARRAY[ledger_account($1, 'payable')])`, [
    developer.userId,
  ]);
  await market.owner.query(
    `SELECT ledger_post('topup', 'test/payout', NULL, NULL, 'test', NULL,
       ARRAY[ledger_account($1, 'payable'), 1, ledger_account($1, 'wallet'), ledger_account($1, 'bond')],
       ARRAY['test', 'test', 'test', 'test'], ARRAY[-970, 470, 300, 200]::bigint[])`,
    [developer.userId],
  );
  await market.owner.query(`UPDATE earnings SET payout_id = 'pay_test' WHERE invocation_id = $1`, [
    invocationId,
  ]);
  const accepted = await respond(market, developer, disputeId, 'accept');
  expect(accepted.body).toMatchObject({ status: 'accepted', refunded_credits: 10 });
  expect(await left(buyer, 'wallet')).toBe(10_000);
  expect([
    await left(developer, 'payable'),
    await left(developer, 'wallet'),
    await left(developer, 'bond'),
  ]).toEqual([0, 0, 0]);
  expect([await left(null, 'fees'), await left(null, 'platform')]).toEqual([fees - 30, -470]);
  const debts = await market.owner.query('SELECT invocation_id, owed_units FROM clawback_debts');
  expect(debts.rows).toEqual([{ invocation_id: invocationId, owed_units: '470' }]);
  const lost = await request<{ items: { account: string; credits: number }[] }>(
    market,
    developer,
    'GET',
    '/v1/billing/developer/transactions?entry_type=dispute_refund',
  );
  expect(lost.body.items.map((line) => [line.account, line.credits])).toEqual([['bond', -2]]);
  // Only the made-up transaction and the payout that it stands for are out of order.
  const { proofs } = await checkLedger(market.container.pool);
  expect(proofs.filter((proof) => proof.total > 0).map((proof) => proof.name)).toEqual([
    'payouts',
    'top-ups',
    'reasons',
  ]);
});
