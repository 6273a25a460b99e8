/**
 * The order of docs/operators/upgrade.md, its way back, and its rotation of the database password, with real processes
 * while four callers pay for calls: no call fails, and the ledger is consistent. `OLD_RELEASE` is the folder of the
 * compiled release that runs at first (default: this one's `dist`).
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { APP_ROLE, OWNER_ROLE, withClient } from '../../src/runtime/postgres/database';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { invoke, putLive, register, type TestUser } from '../support/market';
import { marketCommand } from '../support/cli/market-command';
import { PASSWORD } from '../support/stack/cluster';
import { startProcessStack, type ProcessStack, untilServing } from '../support/stack/process-stack';

const NEW_RELEASE = resolve(__dirname, '../../dist');
const OLD_RELEASE = process.env['OLD_RELEASE'] ?? NEW_RELEASE;
const ENTRY = { api: 'api/main.js', worker: 'workers/main.js' };
const CALLERS = 4;

jest.setTimeout(240_000);

let stack: ProcessStack;
let agent: TestAgent;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  [stack, agent] = await Promise.all([
    startProcessStack(),
    startAgent({ behaviour: { kind: 'slow', ms: 100 }, keepBodies: false }),
  ]);
});
afterAll(async () => {
  await agent.stop();
  await stack.stop();
  rmSync(folder, { recursive: true });
});

const start = (kind: 'api' | 'worker', release: string, env: Record<string, string> = {}) =>
  stack.addProcess(kind, { command: [process.execPath, join(release, ENTRY[kind])], env });

/** The connection string of the service with another role. */
function urlOf(role: string, password?: string): string {
  const url = new URL(stack.environment()['DATABASE_URL'] ?? '');
  url.username = role;
  if (password) url.password = password;
  return url.href;
}

/** Whether the role can sign in with the password of this connection string. */
const signsIn = (url: string) =>
  withClient(url, (client) => client.query('SELECT 1')).then(
    () => true,
    () => false,
  );

/**
 * Calls through whichever API processes the load balancer knows, until `end`, which returns the statuses with their
 * counts. `left` waits for the calls that were sent to a process before the load balancer left it out: a
 * call that arrives after SIGTERM is refused (`drain.test.ts` has those that arrived before).
 */
function callers(serving: { url: string }[], buyer: TestUser, agentId: string) {
  const statuses = new Map<number | string, number>();
  const sent = new Map<Promise<unknown>, object>();
  let isOver = false;
  const loops = Array.from({ length: CALLERS }, async (_, n) => {
    for (let call = n; !isOver; call += 1) {
      const target = serving[call % serving.length];
      if (!target) throw new Error('no API process serves');
      const reply = invoke(target, buyer, agentId, { input: { text: 'call' } }).then(
        ({ status: answered }) => answered,
        (error: Error) => error.message,
      );
      sent.set(reply, target);
      const status = await reply;
      sent.delete(reply);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  return {
    left: (target: object) =>
      Promise.all([...sent].filter(([, to]) => to === target).map(([reply]) => reply)),
    async end() {
      isOver = true;
      await Promise.all(loops);
      return statuses;
    },
  };
}

it('upgrades and downgrades every process without a failed call', async () => {
  const [oldWorker, oldApi] = [await start('worker', OLD_RELEASE), await start('api', OLD_RELEASE)];
  await untilServing(oldApi);
  const market = { url: oldApi.url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const serving = [oldApi];
  const { end, left } = callers(serving, buyer, agentId);
  const command = marketCommand(oldApi.url, {
    ...stack.environment(),
    MIGRATE_DATABASE_URL: urlOf(OWNER_ROLE),
  });

  const backup = await command.runAlone(['backup', join(folder, 'before.backup')]);
  expect([backup.code, backup.stderr]).toEqual([0, '']);
  const migrated = await promisify(execFile)(
    process.execPath,
    [join(NEW_RELEASE, 'runtime/migrate-command.js')],
    { env: { ...stack.environment(), MIGRATE_DATABASE_URL: urlOf(OWNER_ROLE) } },
  );
  expect(migrated.stdout).toContain('schema: ');

  const newWorker = await start('worker', NEW_RELEASE);
  await untilServing(oldApi);
  await oldWorker.kill('SIGTERM');
  const newApi = await start('api', NEW_RELEASE);
  await untilServing(newApi);
  serving.splice(0, 1, newApi);
  await left(oldApi);
  await oldApi.kill('SIGTERM');
  expect((await command.runAlone(['ledger', 'check'])).code).toBe(0);

  // The way back: API processes first, then workers.
  const [backApi, backWorker] = [await start('api', OLD_RELEASE), await start('worker', OLD_RELEASE)];
  await untilServing(backApi);
  serving.splice(0, 1, backApi);
  await left(newApi);
  await newApi.kill('SIGTERM');
  await newWorker.kill('SIGTERM');
  await untilServing(backApi);
  const statuses = await end();
  await backWorker.kill('SIGTERM');
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(20);
  console.info(`${statuses.get(200)} calls during the upgrade and the way back`);
  expect((await command.runAlone(['ledger', 'check', '--full'])).code).toBe(0);
  command.remove();
});

it('rotates the database password process by process, and back again, without a failed call', async () => {
  const admin = (sql: string) => withClient(urlOf('postgres', PASSWORD), (client) => client.query(sql));
  const [second, first] = [urlOf('market_app_2', 'second'), urlOf(APP_ROLE, 'third')];
  const before = [await start('worker', NEW_RELEASE), await start('api', NEW_RELEASE)] as const;
  await untilServing(before[1]);
  const market = { url: before[1].url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const serving = [before[1]];
  const { end, left } = callers(serving, buyer, agentId);

  /** Starts a worker and an API with the other role, and stops those before. */
  const replace = async (old: typeof before, env: Record<string, string>) => {
    const now = [await start('worker', NEW_RELEASE, env), await start('api', NEW_RELEASE, env)] as const;
    await untilServing(now[1]);
    serving.splice(0, 1, now[1]);
    await left(old[1]);
    for (const service of old) await service.kill('SIGTERM');
    return now;
  };
  await admin(`CREATE ROLE market_app_2 LOGIN PASSWORD 'second' IN ROLE ${APP_ROLE}`);
  const middle = await replace(before, { DATABASE_URL: second });
  await admin(`ALTER ROLE ${APP_ROLE} NOLOGIN`);
  expect([await signsIn(urlOf(APP_ROLE)), await signsIn(second)]).toEqual([false, true]);

  await admin(`ALTER ROLE ${APP_ROLE} LOGIN PASSWORD 'third'`);
  const last = await replace(middle, { DATABASE_URL: first });
  await admin('DROP ROLE market_app_2');
  const called = await end();
  expect([await signsIn(second), await signsIn(first)]).toEqual([false, true]);
  expect([...called.keys()]).toEqual([200]);
  const command = marketCommand(last[1].url, { ...stack.environment(), DATABASE_URL: first });
  expect((await command.runAlone(['ledger', 'check', '--full'])).code).toBe(0);
  command.remove();
});
