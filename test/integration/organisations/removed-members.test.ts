/** A member who is removed while a call or a job of theirs runs: it ends, and the organisation pays. */
import { startHeldAgent } from '../../support/agents/held-agent';
import { untilWaiting, withLock } from '../../support/accounts/lock-waits';
import { organisation } from '../../support/accounts/organisation-rows';
import { addJobEnd, jobOf } from '../../support/jobs/jobs';
import { newJobAgent } from '../../support/jobs/question-agent';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
  topUp,
} from '../../support/market';
import { useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const market = useMarket();
let developer: TestUser;
let owner: TestUser;
let member: TestUser;
let orgId: string;

beforeAll(async () => {
  developer = await register(market, 'developer');
});
beforeEach(async () => {
  [owner, member] = [await register(market, 'buyer'), await register(market, 'buyer', 50)];
  orgId = await organisation(market, { owner, buyer: member });
  await topUp(market.owner, orgId, 100);
});
afterEach(() => expectWholeLedger(market));

const remove = async () => {
  const path = `/v1/organisations/${orgId}/members/${member.userId}`;
  const answer = await fetch(market.url + path, { method: 'DELETE', headers: { cookie: owner.cookie } });
  expect(answer.status).toBe(204);
};
const read = (path: string, headers: Record<string, string>) => fetch(market.url + path, { headers });

async function statusOf(id: string): Promise<string | undefined> {
  const answer = await read(`/v1/invocations/${id}`, { cookie: owner.cookie, 'x-owner': orgId });
  return ((await answer.json()) as { status?: string }).status;
}

async function expectPaid(credits: number): Promise<void> {
  expect(await balance(market.owner, orgId, 'wallet')).toBe((100 - credits) * 100);
  expect(await balance(market.owner, orgId, 'escrow')).toBe(0);
  expect(await balance(market.owner, member.userId, 'wallet')).toBe(5_000);
}

/** A key of the member for the organisation. */
async function newKey(): Promise<string> {
  const answer = await fetch(`${market.url}/v1/keys`, {
    method: 'POST',
    headers: { cookie: member.cookie, 'x-owner': orgId, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a key', scopes: ['agents:invoke', 'agents:read'] }),
  });
  return ((await answer.json()) as { key: string }).key;
}

it.each(['session', 'key'])('lets a call that runs by a %s end, and the organisation pays it', async (by) => {
  const held = await startHeldAgent();
  const { agentId } = await putLive(market, developer.userId, held.url, { credits: 10 });
  const headers: Record<string, string> =
    by === 'key' ? { cookie: '', 'x-api-key': await newKey() } : { cookie: member.cookie, 'x-owner': orgId };
  const answer = invoke(market, { cookie: '' }, agentId, { input: { text: 'x' } }, headers);
  await eventually(() => Promise.resolve(held.deliveries.length > 0));
  await remove();
  expect([401, 404]).toContain((await read('/v1/billing/balance', headers)).status);
  held.release();
  const { status, body } = await answer;
  expect([status, await statusOf(body.invocation_id ?? '')]).toEqual([200, 'succeeded']);
  await expectPaid(10);
  await held.stop();
});

it('lets a job that waits end, and the organisation pays it', async () => {
  const job = await newJobAgent(market, developer.userId, { jobs: { max_seconds: 604_800 } });
  const headers = { 'x-owner': orgId, prefer: 'respond-async' };
  const begun = await invoke(market, member, job.agentId, { input: { text: 'x' } }, headers);
  const id = begun.body.invocation_id ?? '';
  await eventually(async () => (await jobOf(market.owner, id)) !== undefined);
  await remove();
  expect((await read(`/v1/invocations/${id}`, { cookie: member.cookie, 'x-owner': orgId })).status).toBe(404);
  expect((await read(`/v1/invocations/${id}`, { cookie: member.cookie })).status).toBe(404);
  await addJobEnd(market, id, 'answer', { text: 'done' });
  await eventually(async () => (await statusOf(id)) === 'succeeded');
  const { rows } = await market.owner.query<{ units: string }>(
    'SELECT charged_units AS units FROM invocations WHERE invocation_id = $1',
    [id],
  );
  await expectPaid(Number(rows[0]?.units) / 100);
  expect(Number(rows[0]?.units)).toBeGreaterThan(0);
  await job.agent.stop();
});

it('ends a key whose creation was under way when its maker was removed', async () => {
  const lock = { text: 'SELECT FROM users WHERE user_id = $1 FOR UPDATE', values: [orgId] };
  const [creation, removal] = await withLock(market.owner, lock, async () => {
    const created = newKey();
    await untilWaiting(market.owner, 1);
    const removed = remove();
    // The removal is over, or waits for the creation.
    await Promise.race([removed, untilWaiting(market.owner, 2)]);
    return [created, removed];
  });
  const key = await creation;
  await removal;
  await market.owner.query(
    `INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, 'buyer')`,
    [orgId, member.userId],
  );
  expect((await read('/v1/billing/balance', { 'x-api-key': key })).status).toBe(401);
});
