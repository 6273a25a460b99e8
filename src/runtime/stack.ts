import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from './demonstration/api-client';
import { ensureDatabase, ensureRoles } from './postgres/database';
import { answersTls, type DemoAgent } from './demonstration/demo-agents';
import {
  agentEnvironment,
  DATABASE,
  NAMESPACE,
  serviceEnvironment,
  stackUrls,
  type StackUrls,
} from './environment';
import { migrate } from './postgres/migrate';
import { aliveFor, nodePart } from './processes/node-part';
import { startPostgres } from './postgres/postgres';
import { waitUntil } from './processes/processes';
import type { StackSecrets } from './secrets';
import type { StackPorts, StackSettings } from './settings';
import type { Part } from './processes/supervisor';
import { TEMPORAL_SERVER_VERSION } from './temporal/temporal-install';
import { startTemporal } from './temporal/temporal-server';

/** Everything that the parts of one stack need to know of each other. */
export interface Stack {
  settings: StackSettings;
  ports: StackPorts;
  secrets: StackSecrets;
  agents: readonly DemoAgent[];
  temporalBinary: string;
}

const LONGEST_LOG_BYTES = 10_000_000;
const READY_MS = 60_000;

export function urlsOf(stack: Stack): StackUrls {
  return stackUrls(stack.ports, stack.secrets);
}

export function logFolder(home: string): string {
  return join(home, 'logs');
}

/** The log of a part; one that has grown beyond 10 MB is put aside first. */
export function logFile(home: string, name: string): string {
  mkdirSync(logFolder(home), { recursive: true });
  const path = join(logFolder(home), `${name}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  return path;
}

/** Postgres with its roles and database. */
export function postgresPart({ settings, ports, secrets }: Stack): Part {
  return {
    name: 'postgres',
    async start(signal) {
      const running = await startPostgres({
        home: settings.home,
        port: ports.postgres,
        logFile: logFile(settings.home, 'postgres'),
        superuserPassword: secrets.postgres.superuser,
        signal,
      });
      try {
        await ensureRoles(running.superuserUrl('postgres'), secrets.postgres);
        await ensureDatabase(running.superuserUrl('postgres'), DATABASE);
        return running;
      } catch (error) {
        await running.stop();
        throw error;
      }
    },
  };
}

/** Brings the schema up to date. @returns what was done, in words. */
export async function migrateStack(stack: Stack): Promise<string> {
  const names = await migrate(urlsOf(stack).postgresOwner);
  return names.length === 0 ? 'up to date' : `${names.length} migrations`;
}

/** The Temporal server with its state in a file that carries the server's version. */
export function temporalPart({ settings, ports, temporalBinary }: Stack): Part {
  return {
    name: 'temporal',
    start: (signal) =>
      startTemporal({
        binary: temporalBinary,
        port: ports.temporal,
        uiPort: ports.temporalUi,
        databaseFile: join(settings.home, `temporal-${TEMPORAL_SERVER_VERSION}.db`),
        logFile: logFile(settings.home, 'temporal'),
        namespace: NAMESPACE,
        signal,
      }),
  };
}

/** The API process; ready when it answers, whether or not everything behind it does. */
export function apiPart(stack: Stack): Part {
  const client = createApiClient(urlsOf(stack).api);
  return servicePart(stack, 'api', async () => (await client.attempt('GET', '/health')).status === 200);
}

export function workerPart(stack: Stack): Part {
  return servicePart(stack, 'worker', aliveFor(400));
}

function servicePart(stack: Stack, name: 'api' | 'worker', isReady: () => boolean | Promise<boolean>): Part {
  const { root, home } = stack.settings;
  const metricsPort = name === 'api' ? stack.ports.apiMetrics : stack.ports.workerMetrics;
  return nodePart({
    name,
    args: ['--enable-source-maps', join(root, 'dist', name === 'api' ? 'api' : 'workers', 'main.js')],
    cwd: root,
    env: { ...serviceEnvironment({ ...stack, home }), METRICS_PORT: String(metricsPort) },
    logFile: logFile(home, name),
    isReady: async () => {
      try {
        return await isReady();
      } catch {
        return false;
      }
    },
  });
}

export function agentPart({ settings }: Stack, agent: DemoAgent): Part {
  return nodePart({
    name: agent.slug,
    args: agent.args,
    cwd: settings.root,
    env: agentEnvironment(agent),
    logFile: logFile(settings.home, agent.slug),
    isReady: () => answersTls(agent, settings.home),
  });
}

/** Waits until the API says that everything it needs is reachable. */
export async function untilServiceReady(stack: Stack): Promise<void> {
  const client = createApiClient(urlsOf(stack).api);
  let last = '';
  const ready = await waitUntil(
    async () => {
      const answer = await client.attempt('GET', '/readiness').catch((error: Error) => error.message);
      last = JSON.stringify(answer);
      return typeof answer === 'object' && answer.status === 200;
    },
    READY_MS,
    100,
  );
  if (!ready) throw new Error(`the API is not ready: ${last}; logs are in ${logFolder(stack.settings.home)}`);
}
