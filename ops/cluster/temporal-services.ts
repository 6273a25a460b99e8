import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { escapeLiteral } from 'pg';
import { NAMESPACE } from '../../src/runtime/environment';
import { withClient } from '../../src/runtime/postgres/database';
import {
  isPortFree,
  spawnDetached,
  stopProcess,
  untilReady,
  waitUntil,
} from '../../src/runtime/processes/processes';
import type { Part } from '../../src/runtime/processes/supervisor';
import { logFile } from '../../src/runtime/stack';
import { TLS_NAMES } from './certificates';
import {
  type Cluster,
  TEMPORAL_DATABASES,
  TEMPORAL_ROLE,
  TEMPORAL_SERVICES,
  type TemporalName,
} from './layout';
import { temporalConfig, temporalDynamicConfig } from './temporal-config';

const READY_MS = 60_000;
const STOP_GRACE_MS = 15_000;
/** gRPC's codes: the namespace exists already. */
const ALREADY_EXISTS = 6;
const DAY_SECONDS = 86_400;

/** A service of Temporal. It is ready when its port answers; the frontends need the others to serve. */
export function temporalServicePart(cluster: Cluster, name: TemporalName): Part {
  const { home } = cluster.stack.settings;
  const path = logFile(home, name);
  return {
    name,
    async start(signal) {
      const { pid, child, logFrom } = spawnDetached({
        command: cluster.programs.temporalServer,
        args: [
          '--config-file',
          writeConfig(cluster, name),
          '--allow-no-auth',
          'start',
          '--service',
          TEMPORAL_SERVICES[name],
        ],
        env: { GOGC: '400', ...process.env },
        logFile: path,
        cwd: home,
      });
      const stop = () => stopProcess(pid, 'SIGTERM', STOP_GRACE_MS);
      const isReady = () => listens(cluster.portOf(name));
      await untilReady(pid, { name, logFile: path, logFrom, timeoutMs: READY_MS, isReady, stop, signal });
      return { pid, child, stop };
    },
  };
}

function writeConfig(cluster: Cluster, name: TemporalName): string {
  const { home } = cluster.stack.settings;
  const dynamicConfigFile = join(home, 'temporal-dynamic.yaml');
  const file = join(home, `temporal-${name}.yaml`);
  const write = (path: string, value: object) =>
    writeFileSync(path, JSON.stringify(value, null, 2), { mode: 0o600 });
  write(dynamicConfigFile, temporalDynamicConfig());
  write(
    file,
    temporalConfig({
      name,
      tls: cluster.tls,
      databaseAddress: `127.0.0.1:${cluster.portOf('pooler')}`,
      databasePassword: cluster.secrets.temporal,
      frontendAddress: `127.0.0.1:${cluster.stack.ports.temporal}`,
      dynamicConfigFile,
      portOf: cluster.portOf,
    }),
  );
  return file;
}

async function listens(port: number): Promise<boolean> {
  return !(await isPortFree(port));
}

/** Creates Temporal's databases on the primary, and brings their schemas to the version of the server. */
export async function prepareTemporalDatabases(cluster: Cluster, superuserUrl: string): Promise<void> {
  const { secrets, portOf, primary } = cluster;
  await withClient(superuserUrl, async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [TEMPORAL_ROLE]);
    await client.query(
      `${rowCount ? 'ALTER' : 'CREATE'} ROLE ${TEMPORAL_ROLE} LOGIN NOSUPERUSER PASSWORD ${escapeLiteral(secrets.temporal)}`,
    );
    for (const database of Object.values(TEMPORAL_DATABASES)) {
      const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
      if (!found.rowCount) await client.query(`CREATE DATABASE ${database} OWNER ${TEMPORAL_ROLE}`);
    }
  });
  for (const [kind, database] of Object.entries(TEMPORAL_DATABASES)) {
    const tool = (...args: string[]) =>
      promisify(execFile)(
        cluster.programs.temporalSqlTool,
        [
          '--plugin',
          'postgres12_pgx',
          '--ep',
          '127.0.0.1',
          '-p',
          String(portOf(primary)),
          '--db',
          database,
          ...args,
        ],
        { env: { ...process.env, SQL_USER: TEMPORAL_ROLE, SQL_PASSWORD: secrets.temporal } },
      );
    if (!(await isSetUp(superuserUrl, database))) await tool('setup-schema', '-v', '0.0');
    const schema = kind === 'persistence' ? 'temporal' : 'visibility';
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

function isSetUp(superuserUrl: string, database: string): Promise<boolean> {
  const url = new URL(superuserUrl);
  url.pathname = `/${database}`;
  return withClient(url.href, async (client) => {
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT to_regclass('public.schema_version') IS NOT NULL AS found`,
    );
    return rows[0]?.found === true;
  });
}

/** The settings with which the API and the worker reach Temporal. */
export function temporalClientEnvironment({ tls }: Cluster): NodeJS.ProcessEnv {
  return {
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_CA_FILE: tls.caFile,
    TEMPORAL_TLS_CERT_FILE: tls.client.certFile,
    TEMPORAL_TLS_KEY_FILE: tls.client.keyFile,
    TEMPORAL_TLS_SERVER_NAME: TLS_NAMES.frontend,
  };
}

/** Creates the namespace unless it exists, and waits until the frontends serve it. Throws after a minute. */
export async function ensureNamespace(cluster: Cluster): Promise<void> {
  let last = 'the frontends do not answer';
  const isServed = await waitUntil(
    async () => {
      try {
        await register(cluster);
        return true;
      } catch (error) {
        last = (error as Error).message;
        return false;
      }
    },
    READY_MS,
    250,
  );
  if (!isServed) throw new Error(`Temporal does not serve the namespace ${NAMESPACE}: ${last}`);
}

async function register(cluster: Cluster): Promise<void> {
  const { tls, stack } = cluster;
  const connection = await Connection.connect({
    address: `127.0.0.1:${stack.ports.temporal}`,
    connectTimeout: 3_000,
    tls: {
      serverRootCACertificate: readFileSync(tls.caFile),
      serverNameOverride: TLS_NAMES.frontend,
      clientCertPair: { crt: readFileSync(tls.client.certFile), key: readFileSync(tls.client.keyFile) },
    },
  });
  try {
    await connection.withDeadline(Date.now() + 10_000, async () => {
      await connection.workflowService
        .registerNamespace({
          namespace: NAMESPACE,
          workflowExecutionRetentionPeriod: { seconds: DAY_SECONDS as never },
        })
        .catch((error: Error & { code?: number }) => {
          if (error.code !== ALREADY_EXISTS) throw error;
        });
      await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
      await connection.operatorService.listSearchAttributes({ namespace: NAMESPACE });
    });
  } finally {
    await connection.close();
  }
}
