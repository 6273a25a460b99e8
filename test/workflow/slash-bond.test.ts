import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { SlashState } from '../../src/domain/bonds/slash';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  counter,
  decide,
  deposit,
  isFound,
  notices,
  passSlash,
  readable,
  readBond,
  readSlash,
  shortfallDeadline,
  slash,
  withdraw,
} from '../support/disputes/bonds';
import { isoMinute } from '../../src/workflows/details';
import { eventDataProblems } from '../support/webhooks/webhooks';
import { registerOperator, succeed } from '../support/disputes/disputes';
import {
  balance,
  eventually,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  topUp,
  type TestMarket,
  type TestUser,
} from '../support/market';
import { request } from '../support/catalogue/publishing';
import { deleteWorkflow, isRunning } from '../support/stack/temporal';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

let market: TestMarket;
let developer: TestUser;
let operator: TestUser;
let buyers: TestUser[];
let agent: TestAgent;
let agentId: string;
let calls: string[];

beforeAll(async () => {
  market = await startMarket();
  operator = await registerOperator(market);
  agent = await startAgent();
  buyers = await Promise.all([1, 2].map(() => register(market, 'buyer', 100_000)));
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});
beforeEach(async () => {
  developer = await register(market, 'developer', 3_000);
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 700 })).agentId;
  const [first, second] = buyers as [TestUser, TestUser];
  calls = [
    await succeed(market, first, agentId),
    await succeed(market, second, agentId),
    await succeed(market, second, agentId),
  ];
});
afterEach(() => expectWholeLedger(market));

const handleOf = (slashId: string) => market.environment.client.workflow.getHandle(`slash/${slashId}`);
const stateOf = (slashId: string) => handleOf(slashId).query<SlashState>('state');
/** The current details that Temporal's UI shows on the page of the workflow. */
const pageOf = async (slashId: string) =>
  (await handleOf(slashId).query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
const wallets = () => Promise.all(buyers.map(({ userId }) => balance(market.owner, userId, 'wallet')));
const bond = () => readBond(market, developer);
const read = (slashId: string) => readSlash(market, developer, slashId);
const announcedDeadline = () => shortfallDeadline(market, developer, agentId);
const isListed = () => isFound(market, operator, agentId);
const lateMs = (written: string | null, deadline: string | null) =>
  Date.parse(written ?? '') - Date.parse(deadline ?? '');

async function apply(credits: number): Promise<string> {
  const { status, body } = await slash(market, operator, { agentId, credits, calls });
  expect([status, body.status]).toEqual([201, 'applied']);
  return body.slash_id;
}

/** A slash that left the bond below its tier, and is final. */
async function shortfall(credits: number): Promise<string> {
  const slashId = await apply(credits);
  await counter(market, developer, slashId);
  expect((await decide(market, operator, slashId, 'upheld')).body.status).toBe('final');
  return slashId;
}

describe('a developer who does not respond', () => {
  it('has exactly 7 days, and then the buyers have the whole amount, by what each has paid', async () => {
    await deposit(market, developer, 600);
    const before = await wallets();
    const slashId = await apply(100.01);
    expect(await bond()).toMatchObject({ bond_credits: 499.99, slash_hold_credits: 100.01, tier: 'basic' });
    const waiting = await pageOf(slashId);
    expect(waiting).toContain('**Waits for the developer, who may contest the slash.**');
    expect(waiting).toContain('**Until:** ' + isoMinute(Date.parse((await read(slashId)).counter_by ?? '')));
    expect(waiting).toMatch(/\(7 days after \d{4}-\d\d-\d\dT\d\d:\d\dZ\)/);
    expect(waiting).toContain(`market slashes resolve ${slashId} overturned`);
    await passSlash(market, slashId, 7 * DAY_MS - 30 * SECOND_MS);
    expect(await stateOf(slashId)).toMatchObject({ status: 'applied', moving: false });
    expect(await read(slashId)).toMatchObject({ status: 'applied', resolved_at: null });
    expect(await wallets()).toEqual(before);
    await passSlash(market, slashId, 30 * SECOND_MS);
    await eventually(async () => (await read(slashId)).status === 'final');
    const final = await read(slashId);
    expect(final).toMatchObject({ resolution: 'developer_silent' });
    expect(lateMs(final.resolved_at, final.counter_by)).toBeGreaterThanOrEqual(0);
    expect(lateMs(final.resolved_at, final.counter_by)).toBeLessThan(30 * SECOND_MS);
    expect(await pageOf(slashId)).toMatch(/^\*\*Final/);
    expect(await pageOf(slashId)).toMatch(
      /Decided:\*\* \S+Z: final, because the developer did not contest it/,
    );
    const shares = final.calls.map((call) => Math.round((call.refunded_credits ?? 0) * 100));
    expect([...shares].sort()).toEqual([3333, 3334, 3334]);
    const after = await wallets();
    expect(after.map((units, n) => units - (before[n] ?? 0)).reduce((a, b) => a + b)).toBe(10_001);
    expect(await bond()).toMatchObject({ bond_credits: 499.99, slash_hold_credits: 0 });
    expect(await counter(market, developer, slashId)).toMatchObject({ status: 409 });
  });

  it('is notified, with explanation and evidence, and sees the time that is left', async () => {
    await deposit(market, developer, 600);
    const hook = await request(market, developer, 'POST', '/v1/webhooks', {
      url: `${agent.url}/hook`,
      types: ['bond.slashed', 'slash.finalized'],
    });
    expect(hook.status).toBe(201);
    const slashId = await apply(50);
    const { remaining_seconds: left } = await read(slashId);
    expect(left).toBeGreaterThan(7 * 86_400 - 60);
    expect(left).toBeLessThanOrEqual(7 * 86_400);
    expect((await notices(market, developer))[0]).toMatchObject({
      code: 'slash_applied',
      slash_id: slashId,
      data: {
        explanation: 'CANARY-explanation-93bd',
        evidence: { output_sha256: 'CANARY-evidence-77ab' },
        credits: 50,
      },
    });
    await passSlash(market, slashId, 7 * DAY_MS);
    expect(await handleOf(slashId).result()).toBe('final');
    const { rows } = await market.owner.query<{ type: string; data: Record<string, unknown> }>(
      `SELECT type, data FROM events WHERE data ->> 'slash_id' = $1 ORDER BY event_id`,
      [slashId],
    );
    expect(rows).toMatchObject([
      { type: 'bond.slashed', data: { explanation: 'CANARY-explanation-93bd', status: 'applied' } },
      { type: 'slash.finalized', data: { status: 'final', credits: 50 } },
    ]);
    expect(rows.flatMap(({ type, data }) => eventDataProblems(type, data))).toEqual([]);
  });
});

describe('a contested slash', () => {
  it('waits for an operator however long; overturned, the bond is whole', async () => {
    await deposit(market, developer, 2_500);
    const before = await wallets();
    const slashId = await apply(2_400);
    expect((await counter(market, developer, slashId)).body).toMatchObject({
      status: 'contested',
      counter_argument: { statement: 'CANARY-statement-51cc', evidence: ['CANARY-counter-evidence'] },
      remaining_seconds: null,
    });
    await passSlash(market, slashId, 60 * DAY_MS);
    expect((await read(slashId)).status).toBe('contested');
    expect(await pageOf(slashId)).toMatch(/Decided:\*\* \S+Z: contested by the developer/);
    expect((await decide(market, operator, slashId, 'overturned')).body.status).toBe('overturned');
    expect(await handleOf(slashId).result()).toBe('overturned');
    expect(await pageOf(slashId)).toContain(`: overturned by the operator \`${operator.userId}\``);
    expect(await bond()).toMatchObject({
      bond_credits: 2_500,
      slash_hold_credits: 0,
      tier: 'standard',
      shortfall: null,
    });
    expect(await wallets()).toEqual(before);
  });

  it('cannot be upheld before the developer has answered, and be overturned at any time', async () => {
    await deposit(market, developer, 600);
    const slashId = await apply(100);
    const early = await decide(market, operator, slashId, 'upheld');
    expect([early.status, early.body.error?.code]).toEqual([409, 'invalid_state']);
    expect((await decide(market, operator, slashId, 'overturned')).body.status).toBe('overturned');
    expect((await bond()).bond_credits).toBe(600);
  });

  it('an answer and the end of the window: one counts, and the money follows it', async () => {
    await deposit(market, developer, 600);
    for (let round = 0; round < 3; round += 1) {
      const slashId = await apply(10);
      const [answer] = await Promise.all([
        counter(market, developer, slashId),
        passSlash(market, slashId, 7 * DAY_MS),
      ]);
      await eventually(async () => (await read(slashId)).status !== 'applied');
      const { status } = await read(slashId);
      expect([answer.status, status]).toEqual(answer.status === 200 ? [200, 'contested'] : [409, 'final']);
      if (status === 'contested') await decide(market, operator, slashId, 'overturned');
    }
  });
});

describe('a bond below its tier', () => {
  it('has exactly 14 days, then the agents leave the search; a top-up brings them back', async () => {
    await deposit(market, developer, 2_500);
    const slashId = await shortfall(2_000);
    expect((await bond()).shortfall).toMatchObject({
      slash_id: slashId,
      minimum_credits: 2_500,
      missing_credits: 2_000,
      delisted: false,
    });
    expect(await announcedDeadline()).toBe((await bond()).shortfall?.top_up_by);
    await passSlash(market, slashId, 14 * DAY_MS - 30 * SECOND_MS);
    expect(await isListed()).toBe(true);
    await deposit(market, developer, 100);
    await passSlash(market, slashId, 30 * SECOND_MS);
    expect(await handleOf(slashId).result()).toBe('final_delisted');
    const page = await pageOf(slashId);
    expect(page).toContain('so the agents left search');
    expect(page).toContain(`: upheld by the operator \`${operator.userId}\``);
    expect(page).toContain(`slash hold → wallets of the buyers, \`slash/${slashId}/refund/inv_…\``);
    expect(await isListed()).toBe(false);
    const { shortfall: open } = await bond();
    expect(open).toMatchObject({ missing_credits: 1_900, delisted: true, remaining_seconds: 0 });
    const told = (await notices(market, developer)).find(({ code }) => code === 'bond_delisted');
    expect(lateMs(told?.created_at ?? null, open?.top_up_by ?? null)).toBeGreaterThanOrEqual(0);
    expect(lateMs(told?.created_at ?? null, open?.top_up_by ?? null)).toBeLessThan(30 * SECOND_MS);
    await deposit(market, developer, 399);
    expect(await isListed()).toBe(false);
    const poor = await deposit(market, developer, 1_501);
    expect([poor.status, poor.body.error?.code]).toEqual([402, 'insufficient_credits']);
    await topUp(market.owner, developer.userId, 1_500);
    await deposit(market, developer, 1_501);
    expect(await bond()).toMatchObject({ bond_credits: 2_500, tier: 'standard', shortfall: null });
    expect(await isListed()).toBe(true);
  });

  it('that is topped up in time stays in search', async () => {
    await deposit(market, developer, 500);
    const slashId = await shortfall(300);
    await passSlash(market, slashId, 13 * DAY_MS);
    expect((await deposit(market, developer, 300)).body.shortfall).toBeNull();
    await passSlash(market, slashId, DAY_MS);
    expect(await handleOf(slashId).result()).toBe('final');
    expect(await isListed()).toBe(true);
  });

  it('topped up in the last second: in search in the end, whichever was first', async () => {
    await deposit(market, developer, 500);
    const slashId = await shortfall(300);
    await passSlash(market, slashId, 14 * DAY_MS - SECOND_MS);
    await Promise.all([deposit(market, developer, 300), passSlash(market, slashId, SECOND_MS)]);
    await handleOf(slashId).result();
    expect(await bond()).toMatchObject({ bond_credits: 500, tier: 'basic', shortfall: null });
    expect(await isListed()).toBe(true);
  });

  it('gets a new workflow when the engine has lost it', async () => {
    await deposit(market, developer, 500);
    const slashId = await shortfall(300);
    await handleOf(slashId).terminate('test');
    await market.owner.query(
      `UPDATE slashes SET workflow_started_at = now() - interval '31 seconds' WHERE slash_id = $1`,
      [slashId],
    );
    await eventually(async () => (await handleOf(slashId).describe()).status.name === 'RUNNING');
    await passSlash(market, slashId, 14 * DAY_MS);
    expect(await handleOf(slashId).result()).toBe('final_delisted');
    expect(await isListed()).toBe(false);
  });
});

it('is final and refunds once though the engine loses its workflow before the developer has answered', async () => {
  await deposit(market, developer, 600);
  const before = await wallets();
  const slashId = await apply(100);
  await deleteWorkflow(market.environment.client, `slash/${slashId}`);
  const { waiting } = await checkLedger(market.container.pool);
  expect(waiting).toContainEqual(expect.objectContaining({ subject: 'slashes applied', units: 10_000 }));
  await market.owner.query(
    `UPDATE slashes SET workflow_started_at = now() - interval '31 seconds' WHERE slash_id = $1`,
    [slashId],
  );
  await eventually(() => isRunning(market.environment.client, `slash/${slashId}`), 30_000);
  await passSlash(market, slashId, 7 * DAY_MS);
  await eventually(async () => (await read(slashId)).status === 'final');
  const refunds = (await wallets()).map((units, at) => units - (before[at] ?? 0));
  expect(refunds.reduce((sum, units) => sum + units, 0)).toBe(10_000);
});

it('is decided by the operator though the engine loses the workflow of a contested slash', async () => {
  await deposit(market, developer, 600);
  const before = await wallets();
  const slashId = await apply(100);
  await counter(market, developer, slashId);
  await deleteWorkflow(market.environment.client, `slash/${slashId}`);
  expect((await decide(market, operator, slashId, 'overturned')).body.status).toBe('overturned');
  expect(await wallets()).toEqual(before);
  expect(await bond()).toMatchObject({ bond_credits: 600, slash_hold_credits: 0 });
});

describe('several slashes of one bond', () => {
  it('of the same instant take no more than it holds, and each ends by itself', async () => {
    await deposit(market, developer, 500);
    const answers = await Promise.all(
      [1, 2, 3].map(() => slash(market, operator, { agentId, credits: 300, calls })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    const taken = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(taken.map(({ credits }) => credits).sort()).toEqual([200, 300]);
    expect(taken.map(({ requested_credits: asked }) => asked)).toEqual([300, 300]);
    expect(await bond()).toMatchObject({ bond_credits: 0, slash_hold_credits: 500, tier: 'basic' });
    const [first, second] = taken.map(({ slash_id: id }) => id) as [string, string];
    await Promise.all([passSlash(market, first, 7 * DAY_MS), counter(market, developer, second)]);
    await eventually(async () => (await read(first)).status === 'final');
    await decide(market, operator, second, 'upheld');
    const open = (await bond()).shortfall;
    expect([first, second]).toContain(open?.slash_id);
    expect((await notices(market, developer)).filter(({ code }) => code === 'bond_shortfall')).toHaveLength(
      1,
    );
    expect(await withdraw(market, developer, 1)).toMatchObject({ status: 402 });
  });
});

it('shows ids and codes and nothing that people wrote, and replays it', async () => {
  await deposit(market, developer, 500);
  const slashId = await shortfall(300);
  await deposit(market, developer, 300);
  await passSlash(market, slashId, 14 * DAY_MS);
  await handleOf(slashId).result();
  const history = await handleOf(slashId).fetchHistory();
  expect(readable(history)).not.toContain('CANARY');
  const codePath = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
  const replayed = Worker.runReplayHistories({ workflowBundle: { codePath } }, [
    { workflowId: `slash/${slashId}`, history },
  ]);
  for await (const result of replayed) expect(result.error).toBeUndefined();
});
