/**
 * The product as it runs in the world: Postgres, Temporal with its state in a file, API and worker processes, each an
 * operating-system process of its own that a test may kill and start again. For crash tests and benchmarks.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from 'pg';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { APP_ROLE, OWNER_ROLE } from '../../../src/runtime/postgres/database';
import { requireCompiled } from '../../../src/runtime/base/compiled.cjs';
import { ALLOCATOR } from '../../../src/runtime/environment';
import { postgresUrl, startPostgres, type RunningPostgres } from '../../../src/runtime/postgres/postgres';
import { removePlace } from '../../../src/runtime/postgres/postgres-binaries';
import { freePort } from '../../../src/runtime/processes/processes';
import { findTemporalBinary } from '../../../src/runtime/temporal/temporal-binary';
import { SEARCH_ATTRIBUTE_BYTES } from '../../../src/runtime/temporal/limits';
import { startTemporal, type RunningTemporal } from '../../../src/runtime/temporal/temporal-server';
import { TEST_CA_FILE, testCertificates } from '../agents/authority';
import { copyCluster, DATABASE, PASSWORD } from './cluster';
import { ENROLMENT } from '../ledger/counts';
import { MEMORY_FOLDER } from './memory-folder';
import { serialClient } from './serial-client';
import { WITHOUT_FSYNC } from './stack';
import { eventually } from '../waits';

export const MASTER_KEYS = `test:1=${Buffer.alloc(32, 7).toString('base64')}`;
const ROOT = resolve(__dirname, '../../..');
/** Characters of the log of a process that ended by itself. */
const LOG_END = 4_000;
/** Benchmarks wait for the disk. Committed data survives `kill -9` in both cases. */
const IS_TEST = process.env['JEST_WORKER_ID'] !== undefined;

export interface ServiceProcess {
  readonly pid: number;
  readonly url: string;
  kill(signal?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

export interface ProcessStack {
  home: string;
  owner: Client;
  container: { cipher: ReturnType<typeof createCipher> };
  postgres: RunningPostgres;
  temporal: RunningTemporal;
  /** The connection to look behind the curtain, made anew after Postgres was restarted. */
  reconnect(): Promise<Client>;
  killPostgres(): Promise<void>;
  startPostgres(): Promise<void>;
  killTemporal(): Promise<void>;
  startTemporal(): Promise<void>;
  /** An API process (an HTTP address) or a worker process, started and ready. */
  addProcess(kind: 'api' | 'worker', options?: AddProcessOptions): Promise<ServiceProcess>;
  environment(): Record<string, string>;
  stop(): Promise<void>;
}

export interface AddProcessOptions {
  env?: Record<string, string>;
  /** Default: the compiled entry point of the kind. */
  command?: string[];
}

export interface ProcessStackOptions {
  dynamicConfig?: Record<string, string | number>;
  /**
   * Processes start the threads for schemas and tokens at once, as the product does: what is to be measured needs it.
   */
  warm?: boolean;
  /** Connections that Postgres allows. */
  maxConnections?: number;
}

export async function startProcessStack(options: ProcessStackOptions = {}): Promise<ProcessStack> {
  requireCompiled(ROOT);
  await testCertificates();
  const home = mkdtempSync(join(IS_TEST ? MEMORY_FOLDER : tmpdir(), 'market-processes-'));
  // The user of Postgres enters it. Otherwise its data would go to another folder, which is on a disk.
  chmodSync(home, 0o755);
  const binary = await findTemporalBinary(() => undefined);
  const ports = { postgres: await freePort(), temporal: await freePort() };
  const log = (name: string) => join(home, `${name}.log`);
  const runPostgres = () =>
    startPostgres({
      home,
      port: ports.postgres,
      logFile: log('postgres'),
      superuserPassword: PASSWORD,
      settings: IS_TEST ? WITHOUT_FSYNC : {},
      ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    });
  const runTemporal = () =>
    startTemporal({
      binary,
      port: ports.temporal,
      databaseFile: join(home, 'temporal.db'),
      logFile: log('temporal'),
      namespace: 'default',
      ...(options.dynamicConfig ? { dynamicConfig: options.dynamicConfig } : {}),
    });
  const url = (user: string) =>
    postgresUrl({ user, password: PASSWORD, port: ports.postgres, database: DATABASE });

  await copyCluster(home);
  const [postgres, temporal] = await Promise.all([runPostgres(), runTemporal()]);
  const processes: ServiceProcess[] = [];
  const stack: ProcessStack = {
    home,
    owner: await connect(url(OWNER_ROLE)),
    container: { cipher: createCipher(parseMasterKeys(MASTER_KEYS)) },
    postgres,
    temporal,
    async reconnect() {
      await stack.owner.end().catch(() => undefined);
      stack.owner = await connect(url(OWNER_ROLE));
      return stack.owner;
    },
    async killPostgres() {
      killGroup(stack.postgres.pid);
      await gone(stack.postgres.child);
    },
    async startPostgres() {
      stack.postgres = await runPostgres();
      await stack.reconnect();
    },
    async killTemporal() {
      killGroup(stack.temporal.pid);
      await gone(stack.temporal.child);
    },
    async startTemporal() {
      stack.temporal = await runTemporal();
    },
    environment: () => ({
      ...environment(url(APP_ROLE), ports.temporal),
      WARM_UP: String(options.warm ?? false),
    }),
    async addProcess(kind, extra = {}) {
      const port = kind === 'api' ? await freePort() : 0;
      const env = { ...stack.environment(), ...(port ? { PORT: String(port) } : {}), ...extra.env };
      const command = extra.command ?? [process.execPath, join(ROOT, 'dist', ...entryPoint(kind))];
      const service = createServiceProcess(command, env, log(`${kind}-${processes.length}`), port);
      processes.push(service);
      await service.start();
      return service;
    },
    async stop() {
      await Promise.all(processes.map((service) => service.kill('SIGTERM')));
      await stack.owner.end().catch(() => undefined);
      await stack.temporal.stop();
      await stack.postgres.stop();
      removePlace(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
  return stack;
}

function entryPoint(kind: 'api' | 'worker'): string[] {
  return kind === 'api' ? ['api', 'main.js'] : ['workers', 'main.js'];
}

function environment(databaseUrl: string, temporalPort: number): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env as Record<string, string | undefined>;
  return {
    ...ALLOCATOR,
    PATH,
    HOME,
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
    MASTER_KEYS,
    SESSION_SECRET: 'process-stack',
    PAYMENT_PROVIDER: 'sandbox',
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    SWEEP_INTERVAL_MS: '2000',
    VERIFICATION_CLOCK: 'production',
    DRAIN_MS: '1000',
    ENROLMENT,
    TEMPORAL_SEARCH_ATTRIBUTE_BYTES: String(SEARCH_ATTRIBUTE_BYTES),
  };
}

function createServiceProcess(
  command: string[],
  env: Record<string, string>,
  logFile: string,
  port: number,
): ServiceProcess {
  let child: ChildProcess | undefined;
  let killed = false;
  const url = `http://127.0.0.1:${port}`;
  return {
    get pid() {
      return child?.pid ?? -1;
    },
    url,
    async kill(signal = 'SIGKILL') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      killed = true;
      child.kill(signal);
      await exited;
    },
    async start() {
      killed = false;
      const out = openSync(logFile, 'a');
      const [file = '', ...args] = command;
      child = spawn(file, args, { env, cwd: ROOT, stdio: ['ignore', out, out] });
      // The folder of the log is removed with the stack.
      child.once('exit', (code, signal) => {
        if (killed) return;
        const end = readFileSync(logFile, 'utf8').slice(-LOG_END);
        console.error(`${command.join(' ')} ended by itself (${code ?? signal}); its log ends with:\n${end}`);
      });
      if (port) await healthy(url, logFile, child);
    },
  };
}

async function healthy(url: string, logFile: string, child: ChildProcess): Promise<void> {
  const answers = () =>
    fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
  const failed = () => Promise.reject(new Error(`the API did not start: ${logFile}`));
  await eventually(async () => child.exitCode !== null || (await answers()), 60_000, 150).catch(failed);
  if (child.exitCode !== null) await failed();
}

/** Waits until the API reports that all its dependencies are reachable. Each question costs it some milliseconds. */
export async function untilServing({ url }: Pick<ServiceProcess, 'url'>): Promise<void> {
  let last: Response | undefined;
  const isReady = async () => {
    last = await fetch(`${url}/readiness`).catch(() => undefined);
    return last?.status === 200;
  };
  await eventually(isReady, 120_000, 150).catch(async () => {
    throw new Error(`${url} is not ready: ${await last?.text()}`);
  });
}

async function connect(connectionString: string): Promise<Client> {
  const client = serialClient(connectionString);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Postgres and Temporal were started as leaders of their own process groups. */
function killGroup(pid: number): void {
  process.kill(-pid, 'SIGKILL');
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
