/** What `npm run bench:peers` compares: each contestant is one process that answers calls by HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode } from '@temporalio/worker';
import { Client } from 'pg';
import { freePort } from '../../src/runtime/processes/processes';
import { INVOCATION_BUNDLE } from '../../src/workers/invocation-workers';
import { TEST_CA_FILE } from '../../test/support/agents/authority';
import { PASSWORD } from '../../test/support/stack/cluster';
import type { ProcessStack } from '../../test/support/stack/process-stack';
import type { Target } from '../measure';
import { addBenchApi } from '../product';

const ROOT = join(__dirname, '..', '..');
const PEERS = join(ROOT, 'bench', 'peers');
const BUILT = join(ROOT, 'dist', 'bench');

/** Milliseconds that the agent takes. */
export type Pause = 0 | 50;
export type Group = 'ours' | 'our services' | 'lean';

/** As the product counts them; without `members`, each workflow has one call. */
export interface Starts {
  confirmed: number;
  members?: number;
}

export interface Contestant {
  name: string;
  group: Group;
  /** True when a call survives the death of its process. */
  durable: boolean;
  pid: number;
  /** The process of its engine; undefined without one of its own. */
  enginePid: number | undefined;
  targets: Record<Pause, Target>;
  /**
   * Workflows that were started so far, and the calls that are in them. Undefined for a peer, which has one for each
   * call.
   */
  starts?: () => Starts;
  /** Returns what does not add up in its ledger. */
  problems(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface RestateServer {
  pid: number;
  ingress: string;
  admin: string;
  stop(): Promise<void>;
}

/** Restate's server from its package, with its state in the stack's folder. */
export async function startRestate(home: string): Promise<RestateServer> {
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const child = spawn(join(PEERS, 'node_modules', '.bin', 'restate-server'), ['--no-logo'], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      RESTATE_BASE_DIR: join(home, 'restate'),
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_LOG_FILTER: 'error',
      DO_NOT_TRACK: '1',
    },
  });
  const url = `http://127.0.0.1:${admin}`;
  const isUp = () => fetch(`${url}/health`).then(({ ok }) => ok, () => false); // prettier-ignore
  for (let waitedMs = 0; !(await isUp()); waitedMs += 200) {
    if (waitedMs > 30_000) throw new Error('Restate did not start');
    await sleep(200);
  }
  return {
    pid: child.pid ?? -1,
    ingress: `http://127.0.0.1:${ingress}`,
    admin: url,
    stop: () => ended(child),
  };
}

/** Kills the process group: packages wrap their servers in scripts. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exit;
}

export interface ProductSettings {
  name: string;
  id: string;
  group: Group;
  durable: boolean;
  env: Record<string, string>;
  enginePid: number | undefined;
}

/** The product's API process, as production runs it, with the engine of its settings. */
export async function addProduct(
  stack: ProcessStack,
  agents: Record<Pause, string>,
  { id, env, ...settings }: ProductSettings,
): Promise<Contestant> {
  const startsFile = join(stack.home, `starts-${id}.json`);
  const { api, cookie, invokePath } = await addBenchApi(stack, {
    command: [process.execPath, join(BUILT, 'bench', 'api-process.js')],
    env: {
      WORKFLOW_BUNDLE: join(ROOT, 'dist', INVOCATION_BUNDLE),
      BENCH_STARTS_FILE: startsFile,
      TASK_QUEUE_PREFIX: `${id}-`,
      ...env,
    },
  });
  const target = async (url: string): Promise<Target> => {
    return { url: api.url, path: await invokePath(url), headers: { cookie } };
  };
  return {
    ...settings,
    pid: api.pid,
    ...(env['BENCH_LAUNCHER']
      ? {}
      : { starts: () => JSON.parse(readFileSync(startsFile, 'utf8')) as Starts }),
    targets: { 0: await target(agents[0]), 50: await target(agents[50]) },
    problems: () => Promise.resolve([]),
    stop: () => api.kill('SIGTERM'),
  };
}

/** Four ordinary activities around the product's steps, in a bundle of their own. */
export async function ordinaryBundle(home: string): Promise<string> {
  mkdirSync(BUILT, { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(BUILT, 'package.json'));
  const { code } = await bundleWorkflowCode({ workflowsPath: join(ROOT, 'bench', 'workflows.ts') });
  const file = join(home, 'ordinary-bundle.js');
  await writeFile(file, code);
  return file;
}

export interface LeanSettings {
  name: string;
  /** The file in `bench/peers/programs`, without its ending. */
  program: string;
  durable: boolean;
  env?: Record<string, string>;
  enginePid?: number;
}

/** A database as its superuser. Each lean peer has one, and one for its engine. */
export async function addDatabase(stack: ProcessStack, name: string, sql?: string): Promise<string> {
  const url = new URL(stack.environment()['DATABASE_URL'] ?? '');
  Object.assign(url, { username: 'postgres', password: PASSWORD, pathname: '/postgres' });
  const run = async (at: string, text: string) => {
    const client = new Client({ connectionString: at });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await run(url.href, `CREATE DATABASE "${name}"`);
  url.pathname = `/${name}`;
  if (sql !== undefined) await run(url.href, sql);
  return url.href;
}

/**
 * A lean peer: a process for each pause of the agent would double its memory, so one process selects the agent by its
 * port.
 */
export async function addLean(
  stack: ProcessStack,
  agents: Record<Pause, string>,
  { program, env = {}, name, durable, enginePid }: LeanSettings,
): Promise<Contestant> {
  const database = await addDatabase(stack, `lean-${program}`, readFileSync(join(PEERS, 'lean.sql'), 'utf8'));
  const child = spawn(process.execPath, [join(PEERS, 'programs', `${program}.mjs`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LEAN_URL: database,
      AGENT_CA_FILE: TEST_CA_FILE,
      AGENT_URL_0: agents[0],
      AGENT_URL_50: agents[50],
      ...env,
    },
  });
  const url = await addressOf(child.stdout);
  const target = (pause: Pause): Target => ({
    url,
    path: `/invoke?pause=${pause}`,
    headers: { 'x-api-key': 'key' },
  });
  return {
    name,
    group: 'lean',
    durable,
    pid: child.pid ?? -1,
    enginePid,
    targets: { 0: target(0), 50: target(50) },
    problems: () => leanProblems(database),
    stop: () => ended(child),
  };
}

/** The first line that is an address; engines print lines of their own. */
async function addressOf(stream: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stream });
  for await (const line of lines) {
    if (!line.startsWith('http://127.0.0.1:')) continue;
    stream.resume();
    return line;
  }
  throw new Error('a peer did not start');
}

async function leanProblems(database: string): Promise<string[]> {
  const client = new Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ open: string; sum: string; lost: string }>(
    `SELECT (SELECT count(*) FROM calls WHERE status <> 'succeeded') AS open, (SELECT coalesce(sum(units), 0) FROM entries) AS sum,
       (SELECT 100000000000 - w.units - (SELECT coalesce(sum(price), 0) FROM calls) FROM wallets w) AS lost`,
  );
  await client.end();
  return Object.entries(rows[0] ?? {})
    .filter(([, value]) => Number(value) !== 0)
    .map(([what, value]) => `${what} ${value}`);
}
