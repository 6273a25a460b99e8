/** Decisions at the instant of a deadline, or of another decision: one counts, and the money moves by it. */
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  counter,
  decide,
  deposit,
  isFound,
  passSlash,
  readBond,
  readSlash,
  shortfallDeadline,
  slash,
} from '../support/disputes/bonds';
import { registerOperator, succeed } from '../support/disputes/disputes';
import {
  eventually,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  topUp,
  type TestMarket,
  type TestUser,
} from '../support/market';

const DAY_MS = 86_400_000;
const ROUNDS = 4;

let market: TestMarket;
let operators: TestUser[];
let buyer: TestUser;
let agent: TestAgent;

beforeAll(async () => {
  market = await startMarket();
  operators = [await registerOperator(market), await registerOperator(market)];
  buyer = await register(market, 'buyer', 100_000);
  agent = await startAgent();
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});
afterEach(() => expectWholeLedger(market));

interface Case {
  developer: TestUser;
  agentId: string;
  slashIds: string[];
}

/** A developer whose bond is all they had, slashed by each of `amounts`. */
async function slashed(...amounts: number[]): Promise<Case> {
  const developer = await register(market, 'developer', 500);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 600 });
  const calls = [await succeed(market, buyer, agentId)];
  await deposit(market, developer, 500);
  const slashIds: string[] = [];
  for (const credits of amounts) {
    const { status, body } = await slash(market, operator(0), { agentId, credits, calls });
    expect(status).toBe(201);
    slashIds.push(body.slash_id);
  }
  return { developer, agentId, slashIds };
}

function operator(which: 0 | 1): TestUser {
  const user = operators[which];
  if (!user) throw new Error('no operator');
  return user;
}

const rounds = <T>(round: (n: number) => Promise<T>) => Promise.all([...Array(ROUNDS).keys()].map(round));
const statusOf = async ({ developer }: Case, slashId = '') =>
  (await readSlash(market, developer, slashId)).status;

it('an operator who overturns, and the end of the window', async () => {
  await rounds(async () => {
    const about = await slashed(300);
    const [slashId = ''] = about.slashIds;
    const [ruling] = await Promise.all([
      decide(market, operator(0), slashId, 'overturned'),
      passSlash(market, slashId, 7 * DAY_MS),
    ]);
    await eventually(async () => (await statusOf(about, slashId)) !== 'applied');
    const status = await statusOf(about, slashId);
    expect([ruling.status, status]).toEqual(ruling.status === 200 ? [200, 'overturned'] : [409, 'final']);
    const left = status === 'overturned' ? 500 : 200;
    expect(await readBond(market, about.developer)).toMatchObject({
      bond_credits: left,
      slash_hold_credits: 0,
    });
  });
});

it('two operators who decide otherwise, and the developer who answers meanwhile', async () => {
  await rounds(async (n) => {
    const about = await slashed(300);
    const [slashId = ''] = about.slashIds;
    if (n % 2 === 0) await counter(market, about.developer, slashId);
    const [upheld, overturned, answer] = await Promise.all([
      decide(market, operator(0), slashId, 'upheld'),
      decide(market, operator(1), slashId, 'overturned'),
      counter(market, about.developer, slashId),
    ]);
    const ends = [upheld.status, overturned.status];
    expect([
      [200, 409],
      [409, 200],
      // Nothing to uphold yet, and the slash was being answered when it was to be overturned.
      [409, 409],
    ]).toContainEqual(ends);
    const status = await statusOf(about, slashId);
    expect(status).toBe(ends[0] === 200 ? 'final' : ends[1] === 200 ? 'overturned' : 'contested');
    if (n % 2 === 0) expect(answer.status).toBe(409);
    if (status === 'contested') await decide(market, operator(1), slashId, 'overturned');
    const { bond_credits: left, slash_hold_credits: held } = await readBond(market, about.developer);
    expect([left, held]).toEqual([status === 'final' ? 200 : 500, 0]);
  });
});

it('slashes of one bond, one of more than is left, that end in the same second', async () => {
  const about = await slashed(100, 300, 400);
  const [first = '', second = '', third = ''] = about.slashIds;
  expect((await readSlash(market, about.developer, third)).credits).toBe(100);
  await counter(market, about.developer, third);
  await Promise.all([
    passSlash(market, first, 7 * DAY_MS),
    passSlash(market, second, 7 * DAY_MS),
    decide(market, operator(0), third, 'overturned'),
  ]);
  const ended = (slashId: string) => async () =>
    ['final', 'overturned'].includes(await statusOf(about, slashId));
  for (const slashId of about.slashIds) await eventually(ended(slashId));
  expect(await readBond(market, about.developer)).toMatchObject({
    bond_credits: 100,
    slash_hold_credits: 0,
    tier: 'basic',
    shortfall: { minimum_credits: 500, missing_credits: 400 },
  });
});

it('a developer without a balance cannot top up, is out of search after 14 days, and back with the money', async () => {
  const about = await slashed(300);
  const [slashId = ''] = about.slashIds;
  await passSlash(market, slashId, 7 * DAY_MS);
  await eventually(async () => (await statusOf(about, slashId)) === 'final');
  expect((await deposit(market, about.developer, 300)).status).toBe(402);
  expect(await shortfallDeadline(market, about.developer, about.agentId)).toBeDefined();
  expect(await isFound(market, buyer, about.agentId)).toBe(true);
  await passSlash(market, slashId, 14 * DAY_MS);
  expect(await market.environment.client.workflow.getHandle(`slash/${slashId}`).result()).toBe(
    'final_delisted',
  );
  expect(await isFound(market, buyer, about.agentId)).toBe(false);
  await topUp(market.owner, about.developer.userId, 300);
  expect((await deposit(market, about.developer, 300)).status).toBe(201);
  expect(await isFound(market, buyer, about.agentId)).toBe(true);
});
