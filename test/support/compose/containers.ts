/**
 * Runs the services of docker-compose.yml as processes: each has a loopback address as its network, exactly the
 * environment of the file, and its volumes as folders. Postgres is the embedded one and Temporal the server that the
 * clone builds; every other command runs as it is written. Processes start when what they depend on is healthy or done.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findTemporalPart } from '../../../ops/cluster/programs';
import { startPostgres } from '../../../src/runtime/postgres/postgres';
import { removePlace } from '../../../src/runtime/postgres/postgres-binaries';
import { findTemporalBinary } from '../../../src/runtime/temporal/temporal-binary';
import { eventually } from '../waits';
import { WITHOUT_FSYNC } from '../stack/stack';
import type { ComposeService, HealthCheck } from './compose-file';
import type { Image } from './image';

export interface Containers {
  /** The loopback address of a service. */
  addressOf(name: string): string;
  /** Starts all services. Resolves when those with a health check are healthy and the jobs are done. */
  up(): Promise<void>;
  /** Starts a service again with other values of some variables. Resolves when it is healthy. */
  restart(name: string, changes: Readonly<Record<string, string>>): Promise<void>;
  /** What happened, in order, such as `postgres healthy` and `migrate done`. */
  readonly events: readonly string[];
  /** The end of what a service has printed. */
  logOf(name: string): string;
  down(): Promise<void>;
}

export interface ContainersOptions {
  root: string;
  services: Readonly<Record<string, ComposeService>>;
  /** The image of the services that the file builds. */
  image: Image;
  /** Holds logs, volumes and programs. */
  folder: string;
}

/** Temporal's UI: the clone has no server of it, and nothing depends on it. */
const LEFT_OUT = 'temporal-ui';
const LOG_END = 4_000;
const STOP_MS = 15_000;

export async function createContainers(options: ContainersOptions): Promise<Containers> {
  const { root, services, image, folder } = options;
  const names = Object.keys(services).filter((name) => name !== LEFT_OUT);
  // Runs beside each other have networks of their own.
  const network = `127.${100 + (process.pid % 100)}.${Math.floor(process.pid / 100) % 250}`;
  const addressOf = (name: string) => `${network}.${names.indexOf(name) + 2}`;
  const programs = await programFolder(folder);
  const events: string[] = [];
  const stops = new Map<string, () => Promise<unknown>>();
  const changed = new Map<string, Readonly<Record<string, string>>>();
  const logFile = (name: string) => join(folder, `${name}.log`);
  const settled = new Map<string, Promise<void>>();

  /** A text of the file with addresses of this machine: of the services that it names, and of the container itself. */
  function located(text: string, own: string): string {
    const ofServices = names.reduce(
      (value, name) => value.replaceAll(new RegExp(`(?<=@|^)${name}(?=:\\d)`, 'g'), addressOf(name)),
      text,
    );
    return ofServices.replaceAll(/\b(0\.0\.0\.0|127\.0\.0\.1|localhost)\b/g, own);
  }

  function environmentOf(name: string): Record<string, string> {
    const { environment = {}, build } = of(name);
    const given = Object.entries(environment).map(([key, value]): [string, string] => {
      const isHost = key.endsWith('_SEEDS') && names.includes(value);
      return [key, isHost ? addressOf(value) : mounted(name, located(value, addressOf(name)))];
    });
    const path = `${programs}${delimiter}${process.env['PATH'] ?? ''}`;
    return {
      PATH: path,
      HOME: folder,
      ...(build && image.env),
      ...Object.fromEntries(given),
      ...changed.get(name),
    };
  }

  /** A path of the container as the path of the volume that is mounted there. */
  function mounted(name: string, text: string): string {
    for (const volume of of(name).volumes ?? []) {
      const [source = '', target = ''] = volume.split(':');
      if (text === target || text.startsWith(`${target}/`))
        return join(resolve(root, source), text.slice(target.length));
    }
    return text;
  }

  function of(name: string): ComposeService {
    const service = services[name];
    if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
    return service;
  }

  function run(name: string, command: readonly string[]): ChildProcess {
    const [file = '', ...args] = command;
    const log = openSync(logFile(name), 'a');
    const cwd = of(name).build ? image.folder : folder;
    const child = spawn(file, args, { cwd, env: environmentOf(name), stdio: ['ignore', log, log] });
    closeSync(log);
    return child;
  }

  async function start(name: string): Promise<void> {
    const service = of(name);
    for (const [need, { condition }] of Object.entries(service.depends_on ?? {})) {
      await settled.get(need);
      events.push(`${name} after ${need} ${condition}`);
    }
    events.push(`${name} starts`);
    const isJob = service.restart?.startsWith('on-failure') === true;
    if (isJob) await work(name, Number(service.restart?.split(':')[1]));
    else if (name === 'postgres') await runPostgres(name);
    else serve(name);
    if (service.healthcheck) await untilHealthy(name, service.healthcheck);
    events.push(`${name} ${isJob ? 'done' : 'healthy'}`);
  }

  function commandOf(name: string): string[] {
    const { command = [], entrypoint } = of(name);
    if (name === 'temporal') return ['temporal-server', '--allow-no-auth', 'start'];
    return (entrypoint ?? command).map((word) => mounted(name, word));
  }

  /** Runs a job until it succeeds, with as many repetitions as the file allows. */
  async function work(name: string, repetitions: number): Promise<void> {
    for (let time = 0; time <= repetitions; time += 1) {
      const [code] = (await once(run(name, commandOf(name)), 'exit')) as [number | null];
      if (code === 0) return;
    }
    throw new Error(`${name} fails: ${logOf(name)}`);
  }

  function serve(name: string): void {
    const child = run(name, commandOf(name));
    stops.set(name, async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
      child.kill('SIGTERM');
      await ended.catch(() => child.kill('SIGKILL'));
    });
  }

  /** What the image's entry point does: an empty volume becomes a cluster, on which the mounted scripts run once. */
  async function runPostgres(name: string): Promise<void> {
    const { environment = {}, command = [], volumes = [] } = of(name);
    const home = join(folder, 'volumes', volumes[0]?.split(':')[0] ?? name);
    const isNew = !existsSync(home);
    mkdirSync(home, { recursive: true });
    const set = command.filter((_word, at) => command[at - 1] === '-c').map((word) => word.split('='));
    const server = await startPostgres({
      ...{ home, host: addressOf(name), port: 5432, logFile: logFile(name) },
      superuserPassword: environment['POSTGRES_PASSWORD'] ?? '',
      settings: { ...WITHOUT_FSYNC, ...Object.fromEntries(set) },
    });
    stops.set(name, async () => {
      await server.stop();
      removePlace(home);
    });
    const env = {
      ...environmentOf(name),
      ...{ PGHOST: addressOf(name), PGPASSWORD: environment['POSTGRES_PASSWORD'], POSTGRES_USER: 'postgres' },
    };
    for (const script of isNew
      ? volumes.filter((volume) => volume.includes('docker-entrypoint-initdb.d'))
      : []) {
      const path = resolve(root, script.split(':')[0] ?? '');
      const child = spawn('sh', [path], { env, stdio: ['ignore', 'ignore', 'inherit'] });
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`${path} ends with ${code}`);
    }
  }

  async function untilHealthy(
    name: string,
    { test, interval, timeout, retries }: HealthCheck,
  ): Promise<void> {
    const [, file = '', ...args] = test.map((word) => located(word, addressOf(name)));
    const check = async () => {
      const options = {
        env: environmentOf(name),
        stdio: 'ignore' as const,
        timeout: secondsOf(timeout) * 1_000,
      };
      const [code] = (await once(spawn(file, args, options), 'exit')) as [number | null];
      return code === 0;
    };
    await eventually(check, secondsOf(interval) * 1_000 * retries, 250).catch(() => {
      throw new Error(`${name} is not healthy: ${logOf(name)}`);
    });
  }

  function logOf(name: string): string {
    return existsSync(logFile(name)) ? readFileSync(logFile(name), 'utf8').slice(-LOG_END) : '';
  }

  return {
    addressOf,
    events,
    logOf,
    async up() {
      // A service stands behind those that it depends on, so their promises exist.
      for (const name of inOrder(names, services)) settled.set(name, start(name));
      await Promise.all(settled.values());
    },
    async restart(name, changes) {
      await stops.get(name)?.();
      changed.set(name, changes);
      serve(name);
      const { healthcheck } = of(name);
      if (healthcheck) await untilHealthy(name, healthcheck);
    },
    async down() {
      for (const name of inOrder(names, services).reverse()) await stops.get(name)?.();
    },
  };
}

/** The names, each behind those that it depends on. */
function inOrder(names: readonly string[], services: ContainersOptions['services']): string[] {
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    for (const need of Object.keys(services[name]?.depends_on ?? {})) add(need);
    ordered.push(name);
  };
  for (const name of names) add(name);
  return ordered;
}

/** A folder of the programs that the images bring: Temporal's, and those that this machine lacks. */
async function programFolder(folder: string): Promise<string> {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const quiet = () => undefined;
  const found = {
    temporal: await findTemporalBinary(quiet),
    'temporal-server': await findTemporalPart('server', quiet),
    'temporal-sql-tool': await findTemporalPart('sql-tool', quiet),
  };
  for (const [name, path] of Object.entries(found)) symlinkSync(path, join(programs, name));
  const standIn = resolve(__dirname, 'image-tools.mjs');
  chmodSync(standIn, 0o755);
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const name of ['psql', 'pg_isready', 'nc'])
    if (!folders.some((path) => existsSync(join(path, name)))) symlinkSync(standIn, join(programs, name));
  return programs;
}

const secondsOf = (text: string) => Number(text.replace(/s$/, ''));
