import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from './demonstration/api-client';
import { ensureDatabase, ensureRoles } from './postgres/database';
import { answersTls, type DemoAgent } from './demonstration/demo-agents';
import { type DemoPayments, paymentsEnvironment } from './demonstration/demo-payments';
import {
  agentEnvironment,
  DATABASE,
  NAMESPACE,
  plainEnvironment,
  serviceEnvironment,
  stackUrls,
  type StackUrls,
} from './environment';
import { describeMigrated, migrate } from './postgres/migrate';
import { aliveFor, nodePart } from './processes/node-part';
import { startPostgres } from './postgres/postgres';
import { waitUntil } from './processes/processes';
import type { StackSecrets } from './secrets';
import type { StackPorts, StackSettings } from './settings';
import type { Part } from './processes/supervisor';
import { TEMPORAL_SERVER_VERSION } from './temporal/temporal-install';
import { startTemporal } from './temporal/temporal-server';

/** Everything that the parts of one stack share. */
export interface Stack {
  settings: StackSettings;
  ports: StackPorts;
  secrets: StackSecrets;
  agents: readonly DemoAgent[];
  /** Undefined unless the stack takes payments by the sandbox. */
  payments?: DemoPayments | undefined;
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

/** Path of a part's log file. A log larger than 10 MB is first renamed to `<name>.log.1`. */
export function logFile(home: string, name: string): string {
  mkdirSync(logFolder(home), { recursive: true });
  const path = join(logFolder(home), `${name}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONGEST_LOG_BYTES) renameSync(path, `${path}.1`);
  return path;
}

/** The Postgres part. Starting it also creates the roles and the database. */
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

/** Migrates the database to the newest schema. Returns a description for the terminal. */
export async function migrateStack(stack: Stack): Promise<string> {
  return describeMigrated(await migrate(urlsOf(stack).postgresOwner));
}

/** The Temporal server part. It stores its state in a file per server version. */
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

/** The API part. It is ready when `/health` answers, even if Postgres or Temporal are not reachable yet. */
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

/** The sandbox of payments, which reports payments to the API of the stack. */
export function paymentsPart(stack: Stack, payments: DemoPayments): Part {
  const { root, home } = stack.settings;
  return nodePart({
    name: 'payments',
    args: [join(root, 'examples/payments/sandbox.mjs')],
    cwd: root,
    env: { ...plainEnvironment(), ...paymentsEnvironment(payments, urlsOf(stack).api) },
    logFile: logFile(home, 'payments'),
    isReady: () => answersTls(payments, home),
  });
}

/** Waits until the API reports that all its dependencies are reachable. Throws after 60 s. */
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
  if (!ready)
    throw new Error(
      `the API is not ready after ${READY_MS / 1_000} s: ${last}; see the logs in ${logFolder(stack.settings.home)}`,
    );
}
