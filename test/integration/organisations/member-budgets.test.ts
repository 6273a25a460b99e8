/** What a member of an organisation may spend for it, by all of the member's keys and sessions together (ADR 0400). */
import { MEMBER_ROLES } from '../../../src/domain/accounts/roles';
import { rollUpSpend } from '../../../src/stores/billing/spend';
import { passMidnight } from '../../support/accounts/budgets';
import { makeKey } from '../../support/accounts/keys';
import {
  ask,
  budgetPath,
  callByKey,
  callBySession,
  company,
  type MemberBudget,
  memberKey,
  setBudget,
} from '../../support/accounts/members';
import { chat, CHAT_SCHEMAS } from '../../support/calls/chat';
import { request } from '../../support/catalogue/publishing';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import {
  balance,
  eventually,
  expectWholeLedger,
  type InvokeReply,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
  topUp,
} from '../../support/market';
import { useScene } from '../../support/use-market';

const PRICE = 10;
const CALLERS = 50;
const scene = useScene({ market: {}, agent: { credits: PRICE, timeoutMs: 20_000 } });
let second: TestMarket;
beforeAll(async () => {
  second = await startMarket({ share: scene.market });
});
afterAll(() => second.stop());

let orgId: string;
let owner: TestUser;
let buyer: TestUser;
let finance: TestUser;
beforeEach(async () => {
  scene.agent.behave({ kind: 'echo' });
  scene.agent.forget();
  const made = await company(scene.market, ['owner', 'buyer', 'finance']);
  orgId = made.orgId;
  ({ owner, buyer, finance } = made.members);
});
afterEach(() => expectWholeLedger(scene.market));

const set = (credits: number, window: string, member = buyer) =>
  setBudget(scene.market, { orgId, by: owner, member }, { credits, window });
const budgetOf = async (member: TestUser = buyer) =>
  (await ask<{ budget: MemberBudget | null }>(scene.market, owner, ['GET', budgetPath(orgId, member)])).body
    .budget;
const outcomeOf = ({ status, body }: InvokeReply) => [status, body.error?.code];
const bySession = (at: TestMarket = scene.market, who = buyer) =>
  callBySession(at, orgId, who, scene.agentId);
const count = (replies: InvokeReply[]) => replies.filter(({ status }) => status === 200).length;
async function dispute(invocationId: string | undefined): Promise<void> {
  const body = { invocation_id: invocationId, reason: 'other', description: 'Not what I asked for.' };
  const opened = await ask<{ dispute_id: string }>(
    scene.market,
    buyer,
    ['POST', '/v1/billing/disputes', body],
    orgId,
  );
  const path = `/v1/billing/disputes/${opened.body.dispute_id}/respond`;
  const answer = { decision: 'accept', statement: 'You are right.' };
  expect((await request(scene.market, scene.developer, 'POST', path, answer)).status).toBe(200);
}

describe('the budget of a member', () => {
  it('is exact for fifty calls on both sides of midnight, by two keys, a narrower key and the session', async () => {
    await set(5 * PRICE + 3, 'day');
    const one = await memberKey(scene.market, orgId, buyer, { scopes: ['agents:invoke', 'keys:manage'] });
    const two = await memberKey(scene.market, orgId, buyer, { credit_cap: 100 * PRICE });
    const narrow = await fetch(`${scene.market.url}/v1/keys`, {
      method: 'POST',
      headers: { 'x-api-key': one.key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'narrow', scopes: ['agents:invoke'] }),
    });
    const keys = [one, two, (await narrow.json()) as typeof one];
    const waiting: Promise<InvokeReply>[] = [];
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until });
    const refused: InvokeReply[] = [];
    const callAll = () => {
      for (let n = 0; n < CALLERS; n += 1) {
        const at = n % 2 ? second : scene.market;
        const key = keys[n % 4];
        const call = key ? callByKey(at, key, scene.agentId) : bySession(at);
        waiting.push(
          call.then((reply) => {
            if (reply.status !== 200) refused.push(reply);
            return reply;
          }),
        );
      }
    };
    callAll();
    await eventually(async () => refused.length === CALLERS - 5, 30_000);
    expect(new Set(refused.map((reply) => outcomeOf(reply).join()))).toEqual(
      new Set(['402,budget_exceeded']),
    );
    expect(await budgetOf()).toMatchObject({ used_credits: 5 * PRICE, left_credits: 3 });
    await passMidnight(scene.market.owner, orgId);
    expect(await budgetOf()).toMatchObject({ used_credits: 0 });
    callAll();
    await eventually(async () => refused.length === 2 * (CALLERS - 5), 30_000);
    release();
    expect(count(await Promise.all(waiting))).toBe(10);
    expect(await budgetOf()).toMatchObject({ used_credits: 5 * PRICE });
    expect(await balance(scene.market.owner, orgId, 'wallet')).toBe((10_000 - 10 * PRICE) * 100);
  });

  it('is exact for fifty calls of two keys that midnight divides', async () => {
    await set(5 * PRICE, 'day');
    const keys = [await memberKey(scene.market, orgId, buyer), await memberKey(scene.market, orgId, buyer)];
    const call = (n: number) => callByKey(n % 2 ? second : scene.market, keys[n % 2]!, scene.agentId);
    const calls = Array.from({ length: CALLERS }, (_, n) => call(n));
    await Promise.all([...calls, passMidnight(scene.market.owner, orgId)]);
    await Promise.all(Array.from({ length: CALLERS }, (_, n) => call(n)));
    const { rows } = await scene.market.owner.query<{ units: string }>(
      `SELECT sum(charged_units) AS units FROM invocations WHERE buyer_user_id = $1 AND member_user_id = $2
         AND status = 'succeeded' GROUP BY invoked_at > now() - interval '12 hours' ORDER BY 1`,
      [orgId, buyer.userId],
    );
    expect(rows.every(({ units }) => Number(units) <= 5 * PRICE * 100)).toBe(true);
    expect(rows.at(-1)).toEqual({ units: String(5 * PRICE * 100) });
    expect(await budgetOf()).toMatchObject({ used_credits: 5 * PRICE });
  });

  it('says whose budget refuses, how much is left, and when it begins anew', async () => {
    const budget = await set(PRICE + 2, 'month');
    await scene.market.owner.query(`UPDATE users SET display_name = 'Ada Lovelace' WHERE user_id = $1`, [
      buyer.userId,
    ]);
    expect((await bySession()).status).toBe(200);
    const { body } = await bySession();
    expect(body.error?.message).toBe(
      `This call needs 10 credits; the budget of Ada Lovelace in Acme (12 credits a month) has 2 credits left for this month, until ${budget.window_ends_at}. An owner, an admin or finance can raise it (PUT /v1/organisations/{org_id}/members/{user_id}/budget, or market orgs set-budget), or wait until it begins anew.`,
    );
  });

  it('counts calls of every surface: plain, chat, MCP and tasks of A2A', async () => {
    await set(10 * PRICE, 'month');
    const { market, developer, agent, agentId } = scene;
    const acting = { 'x-owner': orgId };
    const { agentId: chatty } = await putLive(market, developer.userId, agent.url, { ...CHAT_SCHEMAS, credits: 4 }); // prettier-ignore
    expect((await bySession()).status).toBe(200);
    const a2a = await clientFor(market, buyer, agentId, 'JSONRPC', acting);
    await sendTask(a2a, dataMessage({ text: 'hello' }));
    const params = { name: 'call_agent', arguments: { agent_id: agentId, input: { text: 'hello' }, max_cost_credits: PRICE } }; // prettier-ignore
    const mcp = await fetch(`${market.url}/mcp`, {
      method: 'POST',
      headers: { ...acting, cookie: buyer.cookie, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }); // prettier-ignore
    expect(await mcp.text()).toContain('hello');
    agent.behave({ kind: 'answer', output: { text: 'hello' } });
    expect((await chat(market, buyer, chatty, undefined, { headers: acting })).last?.type).toBe('done');
    const surfaces = async () =>
      (
        await market.owner.query<{ surface: string; member_user_id: string }>(
          `SELECT surface, member_user_id FROM invocations WHERE buyer_user_id = $1 AND status = 'succeeded' ORDER BY 1`,
          [orgId],
        )
      ).rows;
    await eventually(async () => (await surfaces()).length === 4);
    expect(await surfaces()).toEqual(
      ['a2a', 'chat', 'invoke', 'mcp'].map((surface) => ({ surface, member_user_id: buyer.userId })),
    );
    expect(await budgetOf()).toMatchObject({ used_credits: 3 * PRICE + 4 });
  });

  it('counts the calls of this member for this organisation alone, beside a budget of the organisation', async () => {
    await set(PRICE, 'month');
    await topUp(scene.market.owner, buyer.userId, 100);
    const own = await makeKey(scene.market, buyer);
    const ofOrganisation = await memberKey(scene.market, orgId, owner);
    await scene.market.owner.query('UPDATE api_keys SET created_by = NULL WHERE key_id = $1', [
      ofOrganisation.key_id,
    ]);
    expect((await callByKey(scene.market, own, scene.agentId)).status).toBe(200);
    expect((await bySession(scene.market, owner)).status).toBe(200);
    expect((await callByKey(scene.market, ofOrganisation, scene.agentId)).status).toBe(200);
    expect(await budgetOf()).toMatchObject({ used_credits: 0 });
    const all = { credits: 3 * PRICE, window: 'month' };
    expect((await ask(scene.market, owner, ['POST', '/v1/billing/budgets', all], orgId)).status).toBe(201);
    expect((await bySession()).status).toBe(200);
    expect((await bySession()).body.error?.message).toContain('the budget of ');
    for (const status of [200, 200, 402]) expect((await bySession(scene.market, owner)).status).toBe(status);
    const { body } = await ask<{ items: { used_credits: number }[]; total: number }>(
      scene.market,
      owner,
      ['GET', '/v1/billing/budgets'],
      orgId,
    );
    expect(body).toMatchObject({ items: [{ used_credits: 3 * PRICE }], total: 1 });
  });

  it('gets back in the window of its call what a failure or a dispute returns', async () => {
    await set(2 * PRICE, 'day');
    scene.agent.behave({ kind: 'status', status: 500 });
    expect((await bySession()).status).toBe(502);
    scene.agent.behave({ kind: 'echo' });
    expect(await budgetOf()).toMatchObject({ used_credits: 0 });
    const { body: before } = await bySession();
    await passMidnight(scene.market.owner, orgId);
    const { body: after } = await bySession();
    await dispute(before.invocation_id);
    expect(await budgetOf()).toMatchObject({ used_credits: PRICE });
    await dispute(after.invocation_id);
    expect(await budgetOf()).toMatchObject({ used_credits: 0 });
  });

  it('keeps its count with other credits, and begins anew with another window', async () => {
    const first = await set(2 * PRICE, 'month');
    await bySession();
    const more = await set(3 * PRICE, 'month');
    expect(more).toMatchObject({ budget_id: first.budget_id, used_credits: PRICE, left_credits: 2 * PRICE });
    expect(await set(3 * PRICE, 'week')).toMatchObject({ window: 'week', used_credits: 0 });
    expect(await set(0, 'lifetime')).toMatchObject({ window_ends_at: null, left_credits: 0 });
    expect(outcomeOf(await bySession())).toEqual([402, 'budget_exceeded']);
    expect((await ask(scene.market, finance, ['DELETE', budgetPath(orgId, buyer)])).status).toBe(204);
    expect((await ask(scene.market, finance, ['DELETE', budgetPath(orgId, buyer)])).status).toBe(404);
    expect(await budgetOf()).toBeNull();
    expect((await bySession()).status).toBe(200);
  });

  it('has the days and months of the time zone of the organisation, across changes of the clock', async () => {
    const zone = { time_zone: 'Europe/Berlin' };
    const changed = await ask(scene.market, owner, ['PATCH', `/v1/organisations/${orgId}`, zone]);
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining(zone)]);
    const unknown = { time_zone: 'Mars/Olympus' };
    expect((await ask(scene.market, owner, ['PATCH', `/v1/organisations/${orgId}`, unknown])).status).toBe(
      422,
    );
    const { time_zone: shown, window_ends_at: end } = await set(PRICE, 'month');
    const { rows } = await scene.market.owner.query<{ end: Date }>(
      `SELECT budget_window_end('month', now(), 'Europe/Berlin') AS end`,
    );
    expect([shown, end]).toEqual(['Europe/Berlin', rows[0]?.end.toISOString()]);
    const moved = await scene.market.owner.query<{ began_at: Date; ends_at: Date; units: string }>(
      `SELECT w.* FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[]) t(size, began, ends, at),
              budget_window_move(t.size, t.began, t.ends, 500, 700, t.at, $1) w`,
      [
        orgId,
        ['day', 'day', 'month'],
        ['2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z', '2026-09-30T22:00:00Z'],
        ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', '2026-10-31T23:00:00Z'],
        ['2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z', '2026-10-31T23:00:00Z'],
      ],
    );
    // A day of 25 hours begins, the same day goes on in its last hour, and a month begins after the clock went back.
    expect(moved.rows.map(({ began_at: a, ends_at: b, units }) => [a.toISOString(), b.toISOString(), units])).toEqual([
      ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '700'],
      ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z', '1200'],
      ['2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z', '700'],
    ]); // prettier-ignore
  });

  it('is shown with the balance, by a session and by a key of the member', async () => {
    interface Balance {
      available_credits: number;
      member_budget?: MemberBudget;
    }
    const path = '/v1/billing/balance';
    const key = await memberKey(scene.market, orgId, buyer, { scopes: ['billing:read'] });
    const shown = async () => {
      const byKey = await fetch(scene.market.url + path, { headers: { 'x-api-key': key.key } });
      const { body } = await ask<Balance>(scene.market, buyer, ['GET', path], orgId);
      return [body, (await byKey.json()) as Balance].map((balance) => balance.member_budget);
    };
    expect(await shown()).toEqual([undefined, undefined]);
    const budget = await set(25, 'week');
    expect(await shown()).toEqual([budget, budget]);
    const own = await ask<Balance>(scene.market, buyer, ['GET', path]);
    expect([own.status, own.body.member_budget]).toEqual([200, undefined]);
  });

  it('is news at 80 and at 100 percent, for the member and for finance', async () => {
    await set(5 * PRICE, 'day');
    for (let n = 0; n < 5; n += 1) expect((await bySession()).status).toBe(200);
    const told = async (who: TestUser, as?: string) => {
      interface Notices {
        items: { type: string; message: string }[];
      }
      const { body } = await ask<Notices>(scene.market, who, ['GET', '/v1/notices?limit=100'], as);
      const messages = body.items.filter(({ type }) => type === 'budget.reached').map((one) => one.message);
      return messages.reverse().map((message) => message.split(' are spent')[0]);
    };
    expect(await told(buyer)).toEqual([
      `80 % of your budget in the organisation ${orgId}`,
      `100 % of your budget in the organisation ${orgId}`,
    ]);
    expect(await told(finance, orgId)).toEqual([
      `80 % of the budget of the member ${buyer.userId}`,
      `100 % of the budget of the member ${buyer.userId}`,
    ]);
    const { rows } = await scene.market.owner.query<{ user_id: string; n: number }>(
      `SELECT m.user_id, count(*)::int AS n FROM notice_mails m JOIN account_notices USING (notice_id)
        WHERE type = 'budget.reached' AND m.user_id = ANY ($1) GROUP BY 1 ORDER BY 1`,
      [[buyer.userId, owner.userId, finance.userId]],
    );
    const each = [buyer, owner, finance].map(({ userId }) => ({ user_id: userId, n: 2 }));
    expect(rows).toEqual(each.sort((a, b) => a.user_id.localeCompare(b.user_id)));
  });

  it('ends with the membership, while a call that runs ends and is paid', async () => {
    await set(5 * PRICE, 'month');
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    scene.agent.behave({ kind: 'waits', until });
    const running = bySession();
    await scene.agent.waitForDeliveries(1);
    const path = `/v1/organisations/${orgId}/members/${buyer.userId}`;
    expect((await ask(scene.market, owner, ['DELETE', path])).status).toBe(204);
    release();
    expect((await running).status).toBe(200);
    expect((await bySession()).status).toBe(404);
    const left = await scene.market.owner.query('SELECT FROM budgets WHERE user_id = $1', [orgId]);
    expect(left.rows).toHaveLength(0);
    expect((await ask(scene.market, owner, ['GET', budgetPath(orgId, buyer)])).status).toBe(404);
  });

  it('costs a personal account no statement and no row', async () => {
    const person = await register(scene.market, 'buyer', 100);
    const key = await makeKey(scene.market, person);
    const { body } = await callByKey(scene.market, key, scene.agentId);
    const { rows } = await scene.market.owner.query(
      'SELECT member_user_id, budget_ids FROM invocations WHERE invocation_id = $1',
      [body.invocation_id],
    );
    expect(rows).toEqual([{ member_user_id: null, budget_ids: null }]);
  });
});

describe('the members of an organisation', () => {
  it('set budgets as owner, admin and finance; the own one only as owner', async () => {
    const { orgId: id, members } = await company(scene.market, MEMBER_ROLES);
    const wish = { credits: 5, window: 'day' };
    for (const role of MEMBER_ROLES) {
      const may = ['owner', 'admin', 'finance'].includes(role);
      const other = role === 'buyer' ? members.viewer : members.buyer;
      const ofOther = await ask(scene.market, members[role], ['PUT', budgetPath(id, other), wish]);
      const ofOwn = await ask(scene.market, members[role], ['PUT', budgetPath(id, members[role]), wish]);
      expect([role, ofOther.status, ofOwn.status]).toEqual([
        role,
        may ? 200 : 403,
        role === 'owner' ? 200 : 403,
      ]);
    }
    const stranger = await register(scene.market, 'buyer');
    for (const method of ['GET', 'DELETE'])
      expect((await ask(scene.market, stranger, [method, budgetPath(id, members.buyer)])).status).toBe(404);
    expect((await ask(scene.market, owner, ['PUT', budgetPath(orgId, stranger), wish])).status).toBe(404);
    for (const wrong of [{ credits: -1, window: 'day' }, { credits: 1.5, window: 'day' }, { credits: 1, window: 'year' }, {}])
      expect((await ask(scene.market, owner, ['PUT', budgetPath(orgId, buyer), wrong])).status).toBe(422); // prettier-ignore
  });

  it('see what each of them spent if their role sees money, and their own otherwise', async () => {
    const { orgId: id, members } = await company(scene.market, MEMBER_ROLES);
    await setBudget(scene.market, { orgId: id, by: members.owner, member: members.buyer }, { credits: 25, window: 'month' }); // prettier-ignore
    await callBySession(scene.market, id, members.buyer, scene.agentId);
    interface Members {
      items: { user_id: string; budget?: MemberBudget | null }[];
    }
    for (const role of MEMBER_ROLES) {
      const { body } = await ask<Members>(scene.market, members[role], ['GET', `/v1/organisations/${id}/members`]); // prettier-ignore
      const shown = body.items.filter((member) => 'budget' in member).length;
      const found = body.items.find(({ user_id: member }) => member === members.buyer.userId)?.budget;
      const seesAll = !['developer', 'buyer'].includes(role);
      expect([role, shown, found?.left_credits]).toEqual([role, seesAll ? 6 : 1, role === 'developer' ? undefined : 15]); // prettier-ignore
      const single = await ask(scene.market, members[role], ['GET', budgetPath(id, members.buyer)]);
      expect([role, single.status]).toEqual([role, role === 'developer' ? 403 : 200]);
    }
  });

  it('find each change of a budget in the log of the organisation', async () => {
    await set(5, 'day');
    const path = `/v1/organisations/${orgId}/log`;
    const { body } = await ask<{ items: object[] }>(scene.market, owner, ['GET', path]);
    expect(body.items[0]).toMatchObject({
      operation: 'setMemberBudget',
      user_id: owner.userId,
      subject: `${orgId} ${buyer.userId}`,
      outcome: 'done',
    });
  });
});

describe('spending by member', () => {
  interface Group {
    member_id: string | null;
    member_name: string | null;
    calls: number;
    credits: number;
  }
  const groups = async (by: string, more = '') =>
    (await ask<{ groups: Group[] }>(scene.market, owner, ['GET', `/v1/billing/spend?group_by=${by}${more}`], orgId)).body.groups; // prettier-ignore

  it('is the same before and after the calls are rolled up, by sessions and keys, with tags, as CSV', async () => {
    const key = await memberKey(scene.market, orgId, buyer);
    const ofOrganisation = await memberKey(scene.market, orgId, owner);
    await scene.market.owner.query('UPDATE api_keys SET created_by = NULL WHERE key_id = $1', [
      ofOrganisation.key_id,
    ]);
    await bySession();
    await bySession(scene.market, owner);
    await callByKey(scene.market, key, scene.agentId, { metadata: { project: 'atlas' } });
    await callByKey(scene.market, ofOrganisation, scene.agentId);
    const sums = async () => ({
      members: await groups('member'),
      keys: await groups('key,member'),
      tags: await groups('member', '&tag=project'),
    });
    const before = await sums();
    const sorted = before.members.map(({ member_id: id, calls, credits }) => [id, calls, credits]);
    expect(sorted).toEqual(
      expect.arrayContaining([
        [buyer.userId, 2, 20],
        [owner.userId, 1, 10],
        [null, 1, 10],
      ]),
    );
    expect([before.keys.length, before.tags]).toEqual([
      4,
      [expect.objectContaining({ member_id: buyer.userId, calls: 1 })],
    ]);
    await rollUpSpend(scene.market.container.pool, 1_000, Date.now() + 1_200_000);
    expect(await sums()).toEqual(before);
    const csv = await ask<string>(scene.market, owner, ['GET', '/v1/billing/spend.csv?group_by=member'], orgId); // prettier-ignore
    expect(String(csv.body).split('\r\n')[0]).toBe('member_id,member_name,calls,credits');
  });
});
