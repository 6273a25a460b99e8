import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { ensureDatabase, ensureRoles, OWNER_ROLE, withClient } from '../../../src/runtime/postgres/database';
import { withFileLock } from '../../../src/runtime/base/file-lock.cjs';
import { migrate, MIGRATIONS_FOLDER } from '../../../src/runtime/postgres/migrate';
import { PAYOUT_RAIL_ROWS } from '../../../src/runtime/postgres/payout-rails';
import { postgresUrl, startPostgres } from '../../../src/runtime/postgres/postgres';
import { removePlace } from '../../../src/runtime/postgres/postgres-binaries';
import { isAlive } from '../../../src/runtime/base/alive.cjs';
import { freePort, stopProcess } from '../../../src/runtime/processes/processes';
import { findTemporalBinary } from '../../../src/runtime/temporal/temporal-binary';
import { startTemporal } from '../../../src/runtime/temporal/temporal-server';
import { MEMORY_FOLDER } from './memory-folder';

/**
 * One Postgres cluster and one Temporal server for every jest run in this clone. Runs that overlap share them: each
 * run registers its process id, a lock file serialises start and stop, and the last run stops both (or leaves them
 * for the next run when KEEP_TEST_STACK is set). The next run takes over the processes of a killed run.
 */
export interface TestStack {
  postgresPort: number;
  postgresPid: number;
  temporalAddress: string;
  temporalPid: number;
  template: string;
}

export const TEST_PASSWORD = 'test';
/**
 * The data of a test has to survive killed processes, and not a loss of power. Most of the cost of making and dropping
 * a database is waiting for the disk.
 */
export const WITHOUT_FSYNC = { fsync: 'off', full_page_writes: 'off' };
const FOLDER = join(
  MEMORY_FOLDER,
  `agent-marketplace-test-${createHash('sha256').update(resolve(__dirname)).digest('hex').slice(0, 10)}`,
);
const USERS = join(FOLDER, 'users');
const LOCK = join(FOLDER, 'lock');
const STATE = join(FOLDER, 'stack.json');

/** Starts or joins the stack, with a template database of the migrations as they are now. */
export async function acquireStack(): Promise<TestStack> {
  mkdirSync(USERS, { recursive: true, mode: 0o755 });
  writeFileSync(join(USERS, String(process.pid)), '');
  return withFileLock(
    LOCK,
    () => undefined,
    async () => {
      const running = readStack();
      const base =
        running && isAlive(running.postgresPid) && isAlive(running.temporalPid)
          ? running
          : await start(running);
      await dropStaleDatabases(base.postgresPort);
      if (base === running) await dropStaleWorkflows(base.temporalAddress);
      const template = await ensureTemplate(base.postgresPort);
      const stack = { ...base, template };
      writeFileSync(STATE, JSON.stringify(stack));
      return stack;
    },
  );
}

/** Leaves the stack; the last one stops it, unless KEEP_TEST_STACK is set. */
export async function releaseStack(): Promise<void> {
  rmSync(join(USERS, String(process.pid)), { force: true });
  await stopIdleStack();
}

/** Stops the stack when no run uses it. */
export async function stopIdleStack(): Promise<void> {
  if (process.env['KEEP_TEST_STACK'] || !existsSync(STATE)) return;
  await withFileLock(
    LOCK,
    () => undefined,
    async () => {
      const stack = readStack();
      if (!stack || liveUsers().length > 0) return;
      rmSync(STATE, { force: true });
      await Promise.all([
        stopProcess(stack.postgresPid, 'SIGINT', 10_000),
        stopProcess(stack.temporalPid, 'SIGTERM', 5_000),
      ]);
      removePlace(FOLDER);
      rmSync(join(FOLDER, 'postgres'), { recursive: true, force: true });
      removeClusters();
    },
  );
}

/** Clusters that process stacks begin with (cluster.ts). */
export const CLUSTERS = join(FOLDER, 'clusters');

function removeClusters(): void {
  if (!existsSync(CLUSTERS)) return;
  for (const name of readdirSync(CLUSTERS)) removePlace(join(CLUSTERS, name));
  rmSync(CLUSTERS, { recursive: true, force: true });
}

/** Connection of the superuser of the shared cluster. */
export function superuserUrl(port: number, database = 'postgres'): string {
  return postgresUrl({ user: 'postgres', password: TEST_PASSWORD, port, database });
}

async function start(leftover: TestStack | undefined): Promise<Omit<TestStack, 'template'>> {
  if (leftover) {
    await stopProcess(leftover.postgresPid, 'SIGINT', 10_000);
    await stopProcess(leftover.temporalPid, 'SIGTERM', 5_000);
  }
  rmSync(join(FOLDER, 'postgres'), { recursive: true, force: true });
  const [postgres, temporal] = await bothOrNone(startTestPostgres(), startTestTemporal());
  await ensureRoles(superuserUrl(postgres.port), { owner: TEST_PASSWORD, app: TEST_PASSWORD });
  return {
    postgresPort: postgres.port,
    postgresPid: postgres.pid,
    temporalAddress: temporal.address,
    temporalPid: temporal.pid,
  };
}

/** When one of two does not start, the other is stopped. */
async function bothOrNone<A extends Stoppable, B extends Stoppable>(
  one: Promise<A>,
  other: Promise<B>,
): Promise<[A, B]> {
  try {
    return await Promise.all([one, other]);
  } catch (error) {
    const stop = (part: Promise<Stoppable>) =>
      part.then(
        (started) => started.stop(),
        () => undefined,
      );
    await Promise.all([stop(one), stop(other)]);
    throw error;
  }
}

interface Stoppable {
  stop(): Promise<void>;
}

async function startTestPostgres() {
  const postgres = await startPostgres({
    home: FOLDER,
    port: await freePort(),
    logFile: join(FOLDER, 'postgres.log'),
    superuserPassword: TEST_PASSWORD,
    maxConnections: 400,
    settings: { ...WITHOUT_FSYNC, scram_iterations: 1 },
  });
  postgres.child.unref();
  return postgres;
}

/** How late a short timer may fire. A clock that is moved waits for it at every timer (default 1 s). */
const TIMERS_LATE_BY = '"200ms"';

async function startTestTemporal() {
  const temporal = await startTemporal({
    binary: await findTemporalBinary((line) => process.stderr.write(`${line}\n`)),
    port: await freePort(),
    logFile: join(FOLDER, 'temporal.log'),
    namespace: 'default',
    dynamicConfig: { 'history.timerProcessorMaxTimeShift': TIMERS_LATE_BY },
  });
  temporal.child.unref();
  return temporal;
}

async function ensureTemplate(port: number): Promise<string> {
  const name = `market_template_${migrationsHash()}`;
  const exists = await withClient(superuserUrl(port), async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    return Boolean(rowCount);
  });
  if (exists) return name;
  const draft = `${name}_draft`;
  await withClient(superuserUrl(port), (client) =>
    client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`),
  );
  await ensureDatabase(superuserUrl(port), draft);
  await migrate(postgresUrl({ user: OWNER_ROLE, password: TEST_PASSWORD, port, database: draft }));
  await withClient(superuserUrl(port), (client) => client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`));
  return name;
}

/** Names the state of the migrations and function files. */
export function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql') && name !== 'schema.sql')
    .sort()) {
    hash.update(file).update(readFileSync(join(MIGRATIONS_FOLDER, file)));
  }
  return hash.update(JSON.stringify(PAYOUT_RAIL_ROWS)).digest('hex').slice(0, 12);
}

/** Databases are named after the process that made them; those of ended processes are dropped. */
async function dropStaleDatabases(port: number): Promise<void> {
  await withClient(superuserUrl(port), async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      `SELECT datname FROM pg_database WHERE datname ~ '^t_[0-9]+_'`,
    );
    for (const { datname } of rows) {
      if (!isAlive(Number(datname.split('_')[1])))
        await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
    }
  });
}

/**
 * Schedules and workflows of ended processes, known by the name of their task queue (temporal.ts), are removed: a
 * workflow that still runs would keep its id from the next run of the same test.
 */
async function dropStaleWorkflows(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const isStale = (name: string) => {
    const [, pid] = /^t(\d+)x[0-9a-f]{10}-/.exec(name) ?? [];
    return pid !== undefined && !isAlive(Number(pid));
  };
  try {
    const { schedule, workflow } = new Client({ connection });
    const removals: Promise<unknown>[] = [];
    for await (const { scheduleId } of schedule.list())
      if (isStale(scheduleId)) removals.push(schedule.getHandle(scheduleId).delete());
    for await (const { taskQueue, workflowId, runId } of workflow.list({
      query: `ExecutionStatus = 'Running'`,
    }))
      if (isStale(taskQueue)) removals.push(workflow.getHandle(workflowId, runId).terminate());
    await Promise.allSettled(removals);
  } finally {
    await connection.close();
  }
}

function liveUsers(): number[] {
  const users = readdirSync(USERS).map(Number);
  for (const pid of users) if (!isAlive(pid)) rmSync(join(USERS, String(pid)), { force: true });
  return users.filter((pid) => isAlive(pid));
}

function readStack(): TestStack | undefined {
  try {
    return JSON.parse(readFileSync(STATE, 'utf8')) as TestStack;
  } catch {
    return undefined;
  }
}
