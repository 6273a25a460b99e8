/**
 * Slashes whose worker is killed in the middle of every move, once as Postgres commits the statement of the killed
 * worker and once as it rolls it back: each ends with the same result, the refunds sum to the slashed amount, and each
 * party is notified once.
 */
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { fastForward } from '../../src/engine/time-travel';
import { createSemaphore } from '../../src/kit/concurrency/semaphore';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import {
  counter,
  decide,
  deposit,
  isFound,
  notices,
  readBond,
  readSlash,
  slash,
} from '../support/disputes/bonds';
import { succeed } from '../support/disputes/disputes';
import { type HeldStep, holdStep, letAllGo, type StepPlace } from '../support/crash/held-step';
import { startHookServer, type HookServer } from '../support/webhooks/hook-server';
import { balance, eventually, putLive, register, topUp, type TestUser } from '../support/market';
import {
  startProcessStack,
  type ProcessStack,
  type ServiceProcess,
  untilServing,
} from '../support/stack/process-stack';
import { request } from '../support/catalogue/publishing';
import { testPool } from '../support/stack/pool';

const DAY_MS = 86_400_000;
const CREDITS = 300;
/** The statement of a killed process: completed by Postgres, or rolled back. */
const FATES = ['ended', 'undone'] as const;

jest.setTimeout(240_000);

let stack: ProcessStack;
let api: ServiceProcess;
let worker: ServiceProcess;
let agent: TestAgent;
let hooks: HookServer;
let operator: TestUser;
let connection: Connection;
let client: TemporalClient;

/** One connection looks behind the curtain: one transaction at a time. */
const behind = createSemaphore(1);
const market = () => ({ url: api.url, owner: stack.owner, container: stack.container as never });

beforeAll(async () => {
  stack = await startProcessStack();
  [api, worker, agent, hooks] = await Promise.all([
    stack.addProcess('api'),
    stack.addProcess('worker'),
    startAgent({ keepBodies: false }),
    startHookServer(),
  ]);
  connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  client = new TemporalClient({ connection });
  await untilServing(api);
  operator = await register(market(), 'buyer');
  await stack.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterEach(() => letAllGo(stack.owner));
afterAll(async () => {
  await connection.close();
  await Promise.all([agent.stop(), hooks.stop()]);
  await stack.stop();
});

interface Case {
  developer: TestUser;
  buyers: TestUser[];
  agentId: string;
  slashId: string;
  /** Balances of the buyers before the slash. */
  wallets: number[];
}

/**
 * A developer with a basic bond, a live agent and three calls of two buyers, who is slashed by more than half of it.
 */
async function slashed(): Promise<Case> {
  const [developer, first, second] = await Promise.all([
    register(market(), 'developer'),
    register(market(), 'buyer'),
    register(market(), 'buyer'),
  ]);
  await behind.run(async () => {
    await topUp(stack.owner, developer.userId, 1_000);
    for (const { userId } of [first, second]) await topUp(stack.owner, userId, 1_000);
  });
  const { agentId } = await behind.run(() =>
    putLive(market(), developer.userId, agent.url, { credits: 200 }),
  );
  const calls = [
    await succeed(market(), first, agentId),
    await succeed(market(), second, agentId),
    await succeed(market(), second, agentId),
  ];
  await deposit(market(), developer, 500);
  const wallets = await behind.run(() => walletsOf([first, second]));
  const { status, body } = await slash(market(), operator, { agentId, credits: CREDITS, calls });
  expect(status).toBe(201);
  return { developer, buyers: [first, second], agentId, slashId: body.slash_id, wallets };
}

async function walletsOf(buyers: readonly TestUser[]): Promise<number[]> {
  const units: number[] = [];
  for (const { userId } of buyers) units.push(await balance(stack.owner, userId, 'wallet'));
  return units;
}

const read = ({ developer, slashId }: Case) => readSlash(market(), developer, slashId);
const bond = ({ developer }: Case) => readBond(market(), developer);

/** Begins to move the clock of a slash; it does not arrive before the move is written. */
const pass = ({ slashId }: Case, durationMs: number) =>
  void fastForward(client, `slash/${slashId}`, durationMs).catch(() => undefined);

async function expectRefunded(about: Case): Promise<void> {
  const { calls, credits } = await read(about);
  const shares = calls.map((call) => Math.round((call.refunded_credits ?? 0) * 100));
  expect([...shares].sort((a, b) => a - b)).toEqual([10_000, 10_000, 10_000]);
  expect(shares.reduce((sum, units) => sum + units, 0)).toBe(credits * 100);
  const gained = (await walletsOf(about.buyers)).map((units, n) => units - (about.wallets[n] ?? NaN));
  expect(gained).toEqual([10_000, 20_000]);
}

/** The events of a slash that the developer received, newest last. */
async function told({ developer, slashId }: Case): Promise<string[]> {
  const all = await notices(market(), developer);
  return all.filter((notice) => notice.slash_id === slashId).map(({ code }) => code);
}

/**
 * Cases whose next move will wait in Postgres. All traps are laid before any move begins: laying one locks its table.
 */
async function hold(cases: Case[], place: (about: Case) => StepPlace): Promise<HeldStep[]> {
  const steps: HeldStep[] = [];
  for (const about of cases) steps.push(await holdStep(stack.owner, place(about)));
  return steps;
}

const onStatus = (status: string) => (about: Case) => ({
  table: 'slashes',
  on: 'UPDATE' as const,
  when: `NEW.slash_id = '${about.slashId}' AND NEW.status = '${status}'`,
});
const onRefund = (about: Case) => ({
  table: 'slash_calls',
  on: 'UPDATE' as const,
  when: `NEW.slash_id = '${about.slashId}'`,
});
const onTopUpEnd = (about: Case) => ({
  table: 'bonds',
  on: 'UPDATE' as const,
  when: `NEW.shortfall_slash_id = '${about.slashId}' AND NEW.shortfall_ended_at IS NOT NULL`,
});

it('ends every slash with the same result when its worker is killed at any step', async () => {
  const pair = () => Promise.all(FATES.map(slashed));
  const [silent, upheld, overturned, countered, short] = await Promise.all([
    pair(),
    pair(),
    pair(),
    pair(),
    pair(),
  ]);
  const asleep = await slashed();
  for (const about of [...upheld, ...overturned, ...short]) {
    await counter(market(), about.developer, about.slashId);
  }
  for (const about of short) await decide(market(), operator, about.slashId, 'upheld');
  const asked: Promise<unknown>[] = [];
  const ask = (question: Promise<unknown>) => void asked.push(question);

  const held = [
    ...(await hold(silent, onRefund)),
    ...(await hold(upheld, onRefund)),
    ...(await hold(overturned, onStatus('overturned'))),
    ...(await hold(countered, onStatus('contested'))),
    ...(await hold(short, onTopUpEnd)),
  ];
  for (const about of silent) pass(about, 7 * DAY_MS);
  for (const { slashId } of upheld) ask(decide(market(), operator, slashId, 'upheld'));
  for (const { slashId } of overturned) ask(decide(market(), operator, slashId, 'overturned'));
  for (const { developer, slashId } of countered) ask(counter(market(), developer, slashId));
  for (const about of short) pass(about, 14 * DAY_MS);
  for (const step of held) await step.reached();
  await worker.kill();
  for (const step of held.filter((_step, n) => n % 2 === 0)) await step.letGo();
  for (const step of held.filter((_step, n) => n % 2 === 1)) await step.giveUp();
  await worker.start();
  await Promise.all(asked);

  for (const about of [...silent, ...upheld]) {
    await eventually(async () => (await read(about)).status === 'final', 60_000);
    await expectRefunded(about);
    expect(await bond(about)).toMatchObject({ bond_credits: 200, slash_hold_credits: 0 });
    expect((await told(about)).sort()).toEqual(['bond_shortfall', 'slash_applied', 'slash_final']);
  }
  for (const about of overturned) {
    await eventually(async () => (await read(about)).status === 'overturned', 60_000);
    expect(await bond(about)).toMatchObject({ bond_credits: 500, slash_hold_credits: 0, shortfall: null });
    expect(await walletsOf(about.buyers)).toEqual(about.wallets);
    expect((await told(about)).sort()).toEqual(['slash_applied', 'slash_overturned']);
  }
  for (const about of countered) {
    await eventually(async () => (await read(about)).status === 'contested', 60_000);
    expect(await bond(about)).toMatchObject({ bond_credits: 200, slash_hold_credits: CREDITS });
    // Refused for as long as the workflow has not heard what Postgres knows already.
    await eventually(async () => {
      const { status } = await decide(market(), operator, about.slashId, 'upheld');
      return status === 200 || (await read(about)).status === 'final';
    }, 60_000);
    await expectRefunded(about);
  }
  for (const about of short) {
    await eventually(async () => !(await isFound(market(), operator, about.agentId)), 60_000);
    await expectRefunded(about);
    expect((await told(about)).filter((code) => code === 'bond_delisted')).toHaveLength(1);
    await deposit(market(), about.developer, CREDITS);
    expect(await isFound(market(), operator, about.agentId)).toBe(true);
  }
  expect((await read(asleep)).status).toBe('applied');
  pass(asleep, 7 * DAY_MS);
  await eventually(async () => (await read(asleep)).status === 'final', 60_000);
  await expectRefunded(asleep);
  await expectWhole();
});

it('is applied once when the API is killed during it, and reported when the worker is killed during the notification', async () => {
  const about = await slashed();
  const { developer, agentId } = about;
  hooks.answerWith('/told', 0);
  const hook = await request(market(), developer, 'POST', '/v1/webhooks', {
    url: `${hooks.url}/told`,
    types: ['bond.slashed'],
  });
  expect(hook.status).toBe(201);
  const { rows: calls } = await stack.owner.query<{ invocation_id: string }>(
    'SELECT invocation_id FROM slash_calls WHERE slash_id = $1',
    [about.slashId],
  );
  const step = await holdStep(stack.owner, {
    table: 'slashes',
    on: 'INSERT',
    when: `NEW.developer_user_id = '${developer.userId}'`,
  });
  const ids = calls.map(({ invocation_id: id }) => id);
  const unheard = slash(market(), operator, { agentId, credits: 50, calls: ids }).catch(() => undefined);
  await step.reached();
  await api.kill();
  await step.letGo();
  expect(await unheard).toBeUndefined();
  await api.start();
  // The worker starts what the API could not, and dies as it tells.
  await eventually(() => Promise.resolve(hooks.told.length > 0), 60_000);
  await worker.kill();
  await worker.start();
  await eventually(() => Promise.resolve(hooks.told.length > 1), 60_000);
  const [first, second] = hooks.told.map(({ headers, text }) => [headers['webhook-id'], text]);
  expect(second).toEqual(first);
  const { rows } = await stack.owner.query<{ slash_id: string }>(
    'SELECT slash_id FROM slashes WHERE developer_user_id = $1 AND requested_units = 5000',
    [developer.userId],
  );
  expect(rows).toHaveLength(1);
  const slashId = rows[0]?.slash_id ?? '';
  const handle = client.workflow.getHandle(`slash/${slashId}`);
  await eventually(() =>
    handle.describe().then(
      ({ status }) => status.name === 'RUNNING',
      () => false,
    ),
  );
  expect(await told({ ...about, slashId })).toEqual(['slash_applied']);
  expect(await bond(about)).toMatchObject({ bond_credits: 150, slash_hold_credits: 350 });
  await expectWhole();
});

async function expectWhole(): Promise<void> {
  const pool = testPool(stack.environment()['DATABASE_URL']);
  const { proofs } = await checkLedger(pool);
  await pool.end();
  expect(proofs.filter(({ total }) => total > 0)).toEqual([]);
}
