import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { heldTier } from '../../../src/stores/bonds/bonds';
import { mailBox } from '../../support/accounts/mails';
import {
  counter,
  decide,
  deposit,
  depositByKey,
  notices,
  passNotice,
  readBond,
  readSlash,
  slash,
  type SlashView,
  withdraw,
} from '../../support/disputes/bonds';
import { dispute, registerOperator, resolve, respond, succeed } from '../../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { places, request } from '../../support/catalogue/publishing';
import { deleteWorkflow, isRunning } from '../../support/stack/temporal';
import { useAgent, useMarket } from '../../support/use-market';

const DAY_MS = 86_400_000;

const mails = mailBox();
afterAll(() => mails.close());
const market = useMarket({ env: { MAIL_URL: mails.url } });
let developer: TestUser;
let operator: TestUser;
let buyer: TestUser;
const agent = useAgent();
let agentId: string;

beforeAll(async () => {
  operator = await registerOperator(market);
  buyer = await register(market, 'buyer', 2_000);
});
beforeEach(async () => {
  developer = await register(market, 'developer', 12_000);
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
});
afterEach(() => expectWholeLedger(market));

/** The mails of a person, once no more are due soon. */
async function arrived(box: ReturnType<typeof mailBox>, { userId, email }: TestUser) {
  await eventually(async () => {
    const due = `SELECT FROM notice_mails WHERE user_id = $1 AND due_at < now() + interval '1 hour'`;
    return (await market.owner.query(due, [userId])).rowCount === 0;
  });
  return box.noticesTo(email);
}

const bond = () => readBond(market, developer);
const walletOf = (user: TestUser) => balance(market.owner, user.userId, 'wallet');
const platformUnits = () => balance(market.owner, null, 'platform');
const withdrawal = async (n = 0) => (await bond()).withdrawals[n];

describe('a deposit', () => {
  it('reaches a tier at its minimum and not below', async () => {
    for (const [credits, tier] of [
      [499.99, null],
      [0.01, 'basic'],
      [1_999.99, 'basic'],
      [0.01, 'standard'],
      [7_500, 'premium'],
    ] as const) {
      expect((await deposit(market, developer, credits)).body.tier).toBe(tier);
      expect(await heldTier(market.container.pool, developer.userId)).toBe(tier);
    }
    expect(await walletOf(developer)).toBe(200_000);
    expect((await bond()).bond_credits).toBe(10_000);
  });

  it('needs the credits in the wallet, and is never made of parts of a unit', async () => {
    const poor = await register(market, 'developer');
    const refused = await deposit(market, poor, 1);
    expect([refused.status, refused.body.error?.code]).toEqual([402, 'insufficient_credits']);
    expect(refused.body.error?.message).toContain(
      'This deposit needs 1 credit in the wallet; it has 0 credits.',
    );
    for (const credits of [0, -1, 0.001, 10.005]) {
      const reply = await deposit(market, developer, credits);
      expect([reply.status, places(reply)]).toEqual([422, ['credits']]);
    }
    expect((await bond()).bond_credits).toBe(0);
  });

  it('made many times at once takes what the wallet holds and no more', async () => {
    const replies = await Promise.all([...Array(8)].map(() => deposit(market, developer, 2_500)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(await bond()).toMatchObject({ bond_credits: 10_000, tier: 'premium' });
  });

  it('is made once however often its key comes, also all at once', async () => {
    const make = (key: string, credits = 4_000) => depositByKey(market, developer, credits, key);
    const replies = await Promise.all(Array.from({ length: 8 }, () => make('one')));
    expect(replies.filter(([status]) => status === 201)).toHaveLength(8);
    expect(replies.filter(([, replayed]) => replayed === 'new')).toHaveLength(1);
    expect((await bond()).bond_credits).toBe(4_000);
    expect(await make('one', 3_000)).toEqual([409, 'new']);
    expect(await make('two', 8_000)).toEqual([201, 'new']);
    expect(await make('one')).toEqual([201, 'true']);
    expect((await bond()).bond_credits).toBe(12_000);
  });

  it('and its end are lines of the wallet and of the bond', async () => {
    await deposit(market, developer, 500);
    const lines = await request<{ items: { entry_type: string; account?: string; credits: number }[] }>(
      market,
      developer,
      'GET',
      '/v1/billing/developer/transactions',
    );
    expect(lines.body.items).toMatchObject([{ entry_type: 'bond_deposit', account: 'bond', credits: 500 }]);
    const wallet = await request<typeof lines.body>(market, developer, 'GET', '/v1/billing/ledger?limit=1');
    expect(wallet.body.items).toMatchObject([{ entry_type: 'bond_deposit', credits: -500 }]);
  });

  it('is refused to buyers', async () => {
    expect((await deposit(market, buyer, 1)).status).toBe(403);
  });
});

describe('a withdrawal', () => {
  it('is paid after 30 days, and lowers the tier then', async () => {
    await deposit(market, developer, 2_500);
    const noticed = await withdraw(market, developer, 1_000);
    expect(noticed).toMatchObject({ status: 201, body: { status: 'noticed', paid_credits: null } });
    const over = await withdraw(market, developer, 1_500.01);
    expect([over.status, over.body.error?.code]).toEqual([402, 'insufficient_credits']);
    await passNotice(market, noticed.body.withdrawal_id, 30 * DAY_MS - 30_000);
    expect(await bond()).toMatchObject({ bond_credits: 2_500, tier: 'standard' });
    await passNotice(market, noticed.body.withdrawal_id, 30_000);
    await eventually(async () => (await withdrawal())?.status === 'paid');
    expect(await bond()).toMatchObject({ bond_credits: 1_500, tier: 'basic', shortfall: null });
    const paid = await withdrawal();
    expect(Date.parse(paid?.completed_at ?? '')).toBeGreaterThanOrEqual(Date.parse(paid?.due_at ?? ''));
    expect(await walletOf(developer)).toBe(1_050_000);
  });

  it('is paid once though the engine loses its workflow', async () => {
    await deposit(market, developer, 700);
    const { body: noticed } = await withdraw(market, developer, 400);
    const workflowId = `bond-withdrawal/${noticed.withdrawal_id}`;
    await deleteWorkflow(market.environment.client, workflowId);
    const { waiting } = await checkLedger(market.container.pool);
    expect(waiting).toContainEqual(
      expect.objectContaining({ subject: 'withdrawals noticed', count: 1, units: 40_000 }),
    );
    await market.owner.query(
      `UPDATE bond_withdrawals SET workflow_started_at = now() - interval '31 seconds' WHERE withdrawal_id = $1`,
      [noticed.withdrawal_id],
    );
    await eventually(() => isRunning(market.environment.client, workflowId), 30_000);
    await passNotice(market, noticed.withdrawal_id, 30 * DAY_MS);
    await eventually(async () => (await withdrawal())?.status === 'paid');
    expect((await bond()).bond_credits).toBe(300);
    expect(await walletOf(developer)).toBe(1_170_000);
  });

  it('waits for a slash that is not decided, and gets what that leaves', async () => {
    await deposit(market, developer, 500);
    const { body: noticed } = await withdraw(market, developer, 400);
    const dear = (await putLive(market, developer.userId, agent.url, { credits: 300 })).agentId;
    const call = await succeed(market, buyer, dear);
    const { body: taken } = await slash(market, operator, { agentId: dear, credits: 300, calls: [call] });
    await counter(market, developer, taken.slash_id);
    await passNotice(market, noticed.withdrawal_id, 30 * DAY_MS);
    await eventually(async () => (await withdrawal())?.status === 'waiting');
    expect((await bond()).bond_credits).toBe(200);
    await decide(market, operator, taken.slash_id, 'upheld');
    expect(await withdrawal()).toMatchObject({ status: 'paid', paid_credits: 200 });
    expect(await bond()).toMatchObject({
      bond_credits: 0,
      tier: null,
      shortfall: { minimum_credits: 500, missing_credits: 500 },
    });
  });
});

describe('a slash', () => {
  it('is mailed with its deadline, which is recalled until the slash is answered', async () => {
    await deposit(market, developer, 500);
    const call = await succeed(market, buyer, agentId);
    const { body } = await slash(market, operator, { agentId, credits: 10, calls: [call] });
    const reminders = async () => {
      await market.owner.query(
        'UPDATE notice_mails SET due_at = now(), ended_at = NULL WHERE user_id = $1 AND is_reminder',
        [developer.userId],
      );
      return arrived(mails, developer);
    };
    const [news] = await arrived(mails, developer);
    expect(news?.text).toMatch(
      /^An operator took 10 credits from your bond\..* Answer by .* UTC, or the slash becomes final\./,
    );
    expect((await reminders()).at(-1)?.subject).toBe('Less than a day is left: Your bond was slashed');
    await counter(market, developer, body.slash_id);
    expect(await reminders()).toHaveLength(2);
    // What it leaves is below the tier's minimum, so there is another deadline once it is decided.
    await decide(market, operator, body.slash_id, 'upheld');
    expect((await arrived(mails, developer)).at(-1)?.text).toContain('Top up your bond by');
    expect((await reminders()).at(-1)?.subject).toBe('Less than a day is left: A slash is final');
    await deposit(market, developer, 100);
    expect(await reminders()).toHaveLength(4);
  });

  it('is refused without affected calls, without a bond, and to everybody but operators', async () => {
    const call = await succeed(market, buyer, agentId);
    const other = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
    const about = { agentId, credits: 10, calls: [call] };
    expect((await slash(market, operator, about)).body.error?.code).toBe('invalid_state');
    await deposit(market, developer, 500);
    const foreign = await slash(market, operator, { ...about, agentId: other });
    expect([foreign.status, places(foreign)]).toEqual([422, ['invocation_ids.0']]);
    expect((await slash(market, operator, { ...about, calls: [call, call] })).status).toBe(422);
    expect((await slash(market, operator, about, { evidence: { text: 'a\u0000b' } })).status).toBe(422);
    expect((await slash(market, operator, about, { evidence: { ['a\ud800']: 1 } })).status).toBe(422);
    expect((await slash(market, operator, about, { evidence: 'x'.repeat(40_000) })).status).toBe(422);
    expect((await slash(market, operator, { ...about, agentId: 'agt_nobody_v1' })).status).toBe(404);
    expect((await slash(market, developer, about)).status).toBe(403);
    expect(await bond()).toMatchObject({ bond_credits: 500, slash_hold_credits: 0 });
  });

  it('takes evidence that contains an escape sequence as text', async () => {
    const call = await succeed(market, buyer, agentId);
    await deposit(market, developer, 500);
    const evidence = { text: String.raw`\u0000 and \ud800`, [String.raw`\udfff`]: [] };
    const { status, body } = await slash(
      market,
      operator,
      { agentId, credits: 10, calls: [call] },
      { evidence },
    );
    expect([status, body.evidence]).toEqual([201, evidence]);
  });

  it('refunds nothing of a call that was already refunded', async () => {
    await deposit(market, developer, 500);
    const calls = [await succeed(market, buyer, agentId), await succeed(market, buyer, agentId)];
    const { body: disputed } = await dispute(market, buyer, calls[0] ?? '');
    await respond(market, developer, disputed.dispute_id, 'contest');
    await resolve(market, operator, disputed.dispute_id, 'buyer');
    const alone = await slash(market, operator, { agentId, credits: 5, calls: calls.slice(0, 1) });
    expect([alone.status, places(alone)]).toEqual([422, ['invocation_ids']]);
    const { body } = await slash(market, operator, { agentId, credits: 5, calls });
    await counter(market, developer, body.slash_id);
    await decide(market, operator, body.slash_id, 'upheld');
    const final = await readSlash(market, developer, body.slash_id);
    const refundOf = (id: string | undefined) =>
      final.calls.find(({ invocation_id: call }) => call === id)?.refunded_credits;
    expect([refundOf(calls[0]), refundOf(calls[1])]).toEqual([0, 5]);
  });

  it('leaves a dispute to return what it has not refunded, and never more', async () => {
    await deposit(market, developer, 500);
    const calls = [await succeed(market, buyer, agentId), await succeed(market, buyer, agentId)];
    const [whole = '', part = ''] = calls;
    // The case of one call is open before the slash, that of the other call is opened after it.
    const { body: early } = await dispute(market, buyer, part);
    const end = async (call: string, credits: number) => {
      const { body } = await slash(market, operator, { agentId, credits, calls: [call] });
      await counter(market, developer, body.slash_id);
      await decide(market, operator, body.slash_id, 'upheld');
    };
    await end(whole, 400);
    await end(part, 4);
    const [paid, held] = [await walletOf(buyer), (await bond()).bond_credits];
    expect(held).toBe(500 - 10 - 4);
    const { body: late } = await dispute(market, buyer, whole);
    for (const { dispute_id: id } of [early, late]) await respond(market, developer, id, 'accept');
    expect(await walletOf(buyer)).toBe(paid + 600);
    expect((await bond()).bond_credits).toBe(500);
    for (const [call, returned] of [
      [whole, 0],
      [part, 6],
    ] as const) {
      const { body } = await request<{ refunded_credits: number; dispute: { dispute_id: string } }>(
        market,
        buyer,
        'GET',
        `/v1/invocations/${call}`,
      );
      expect(body.refunded_credits).toBe(10);
      const path = `/v1/billing/disputes/${body.dispute.dispute_id}`;
      const shown = await request<{ refunded_credits: number }>(market, buyer, 'GET', path);
      expect(shown.body.refunded_credits).toBe(returned);
    }
  });

  it('deducts what it can refund, and every figure shows the amount that left the bond', async () => {
    await deposit(market, developer, 500);
    const calls = [await succeed(market, buyer, agentId), await succeed(market, buyer, agentId)];
    const wallet = await walletOf(buyer);
    const { body } = await slash(market, operator, { agentId, credits: 100, calls });
    expect(body).toMatchObject({ requested_credits: 100, credits: 20, refund: 'affected' });
    expect(await bond()).toMatchObject({ bond_credits: 480, slash_hold_credits: 20 });
    await counter(market, developer, body.slash_id);
    await decide(market, operator, body.slash_id, 'upheld');
    expect(await readSlash(market, developer, body.slash_id)).toMatchObject({
      status: 'final',
      requested_credits: 100,
      credits: 20,
    });
    expect(await bond()).toMatchObject({ bond_credits: 480, slash_hold_credits: 0 });
    expect(await walletOf(buyer)).toBe(wallet + 2_000);
    const told = await notices(market, developer);
    expect(told.filter(({ code }) => code.startsWith('slash_')).map(({ data }) => data)).toEqual([
      expect.objectContaining({ credits: 20, requested_credits: 100 }),
      expect.objectContaining({ credits: 20, requested_credits: 100 }),
    ]);
    const { rows } = await market.owner.query(
      `SELECT details ->> 'credits' AS credits FROM operator_actions WHERE subject = $1`,
      [body.slash_id],
    );
    expect(rows).toEqual([{ credits: '20' }, { credits: '20' }]);
  });

  it('shows the amount that left the bond when a dispute has refunded a call meanwhile', async () => {
    await deposit(market, developer, 500);
    const calls = [await succeed(market, buyer, agentId), await succeed(market, buyer, agentId)];
    const { body } = await slash(market, operator, { agentId, credits: 100, calls });
    const { body: disputed } = await dispute(market, buyer, calls[0] ?? '');
    await respond(market, developer, disputed.dispute_id, 'accept');
    const before = (await bond()).bond_credits;
    await counter(market, developer, body.slash_id);
    await decide(market, operator, body.slash_id, 'upheld');
    expect(await readSlash(market, developer, body.slash_id)).toMatchObject({ credits: 10 });
    expect((await bond()).bond_credits).toBe(before + 10);
    const final = (await notices(market, developer)).find(({ code }) => code === 'slash_final');
    expect(final?.data).toMatchObject({ credits: 10, status: 'final' });
  });

  it('over free calls is kept by the platform as a penalty', async () => {
    await deposit(market, developer, 500);
    const free = (await putLive(market, developer.userId, agent.url, { credits: 10, freeTierCalls: 5 }))
      .agentId;
    const call = await succeed(market, buyer, free);
    const about = { agentId: free, credits: 30, calls: [call] };
    const refused = await slash(market, operator, about);
    expect([refused.status, places(refused)]).toEqual([422, ['invocation_ids']]);
    expect(JSON.stringify(refused.body)).toContain('refund: none');
    const platform = await platformUnits();
    const { body, status } = await slash(market, operator, about, { refund: 'none' });
    expect([status, body.credits, body.refund]).toEqual([201, 30, 'none']);
    await counter(market, developer, body.slash_id);
    await decide(market, operator, body.slash_id, 'upheld');
    expect(await readSlash(market, developer, body.slash_id)).toMatchObject({
      status: 'final',
      credits: 30,
      refund: 'none',
      calls: [{ refunded_credits: 0 }],
    });
    expect(await bond()).toMatchObject({ bond_credits: 470, slash_hold_credits: 0 });
    expect(await platformUnits()).toBe(platform + 3_000);
    const overturned = await slash(market, operator, { ...about, credits: 999 }, { refund: 'none' });
    expect(overturned.body).toMatchObject({ requested_credits: 999, credits: 470 });
    await decide(market, operator, overturned.body.slash_id, 'overturned');
    expect(await bond()).toMatchObject({ bond_credits: 470, slash_hold_credits: 0 });
    expect(await platformUnits()).toBe(platform + 3_000);
  });

  it('is visible to its developer and to operators only', async () => {
    await deposit(market, developer, 500);
    const call = await succeed(market, buyer, agentId);
    const { body } = await slash(market, operator, { agentId, credits: 5, calls: [call] });
    const stranger = await register(market, 'developer');
    const path = `/v1/billing/developer/slashes/${body.slash_id}`;
    expect((await request(market, stranger, 'GET', path)).status).toBe(404);
    expect((await counter(market, stranger, body.slash_id)).status).toBe(404);
    expect((await decide(market, developer, body.slash_id, 'overturned')).status).toBe(403);
    type List = { items: SlashView[]; total: number };
    const listed = await request<List>(market, operator, 'GET', '/v1/operator/slashes');
    const mine = listed.body.items.find(({ slash_id: id }) => id === body.slash_id);
    expect(mine).toMatchObject({ developer_user_id: developer.userId, counter_by: body.counter_by });
    expect(mine?.remaining_seconds).toBeGreaterThan(600_000);
    const idsOf = async (query: string) =>
      (await request<List>(market, operator, 'GET', `/v1/operator/slashes?${query}`)).body.items.map(
        ({ slash_id: id }) => id,
      );
    await decide(market, operator, body.slash_id, 'overturned');
    // A decided slash is in the lists of its agent, of its developer and of everything, and with no other agent.
    expect(await idsOf(`developer_user_id=${developer.userId}`)).toEqual([body.slash_id]);
    for (const query of [
      `agent_id=${agentId}`,
      'status=all',
      'status=overturned',
      `agent_id=${agentId}&status=all`,
    ])
      expect(await idsOf(query)).toContain(body.slash_id);
    for (const query of ['', `agent_id=${agentId}&status=applied`, `developer_user_id=${stranger.userId}`])
      expect(await idsOf(query)).not.toContain(body.slash_id);
    const own = await request<List>(market, developer, 'GET', '/v1/billing/developer/slashes');
    expect(own.body).toMatchObject({ total: 1, items: [{ status: 'overturned' }] });
    expect((await notices(market, developer)).map(({ code }) => code)).toEqual([
      'slash_overturned',
      'slash_applied',
    ]);
    const { rows } = await market.owner.query<{ action: string; reason: string }>(
      'SELECT action, reason FROM operator_actions WHERE subject = $1 ORDER BY action_id',
      [body.slash_id],
    );
    expect(rows).toEqual([
      { action: 'slash.apply', reason: 'CANARY-explanation-93bd' },
      { action: 'slash.resolve', reason: 'CANARY-reason-0f0f' },
    ]);
  });
});
