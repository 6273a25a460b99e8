import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSupervisor, type Part, type Supervisor } from '../../src/runtime/processes/supervisor';
import { recordProcesses } from '../../src/runtime/processes/leftovers';
import { ensureDatabase, ensureRoles, OWNER_ROLE } from '../../src/runtime/postgres/database';
import { DATABASE } from '../../src/runtime/environment';
import { migrate } from '../../src/runtime/postgres/migrate';
import { postgresUrl } from '../../src/runtime/postgres/postgres';
import type { Terminal } from '../../src/runtime/base/terminal.cjs';
import {
  APIS,
  type Cluster,
  POSTGRES,
  type PostgresName,
  TEMPORAL_SERVICES,
  type TemporalName,
  WORKERS,
} from './layout';
import { poolerPart } from './pooler';
import type { Behind } from './proxy-config';
import { type BehindProxy, proxyPart } from './proxy';
import { copyPrimary, postgresServer, replicaStreams, waitForReplica } from './replica';
import { apiProcess, workerProcess } from './services';
import { ensureNamespace, prepareTemporalDatabases, temporalServicePart } from './temporal-services';

const STREAMS_MS = 30_000;

/** A cluster that runs, and what starts and stops its processes. */
export interface RunningCluster {
  cluster: Cluster;
  supervisor: Supervisor;
  /** The APIs that the proxy may send requests to. */
  apis: string[];
  workers: string[];
}

const names = Object.keys(TEMPORAL_SERVICES) as TemporalName[];

/** Every name that needs a port of its own, with room for a third API and worker. */
export const PORT_NAMES = [
  ...POSTGRES,
  'pooler',
  ...names,
  ...names.map((name) => `${name}/membership`),
  ...[...APIS, 'api-3'].flatMap((name) => [name, `${name}/metrics`]),
  ...[...WORKERS, 'worker-3'].map((name) => `${name}/metrics`),
];

/** Connection of the superuser of a server. */
export function superuserUrl(cluster: Cluster, name: PostgresName, database = 'postgres'): string {
  const password = cluster.stack.secrets.postgres.superuser;
  return postgresUrl({ user: 'postgres', password, port: cluster.portOf(name), database });
}

export function postgresPartOf(cluster: Cluster, name: PostgresName): Part {
  return postgresServer(cluster.stack, name, cluster.portOf(name));
}

/** Starts all processes in the order in which they need each other. Throws the first error. */
export async function startCluster(cluster: Cluster, terminal: Terminal): Promise<RunningCluster> {
  const { home } = cluster.stack.settings;
  const supervisor = createSupervisor({
    notice: terminal.notice,
    onChange: (processes) => recordProcesses(home, processes),
  });
  const running: RunningCluster = { cluster, supervisor, apis: [...APIS], workers: [...WORKERS] };
  try {
    await startDatabases(running, terminal);
    await terminal.step('proxy', async () => {
      await supervisor.start(partOf(running, 'proxy'));
      return `HAProxy on 127.0.0.1:${cluster.stack.ports.api} and ${cluster.stack.ports.temporal}`;
    });
    await terminal.step('temporal', async () => {
      // The first one writes what describes the cluster; at once, several would collide.
      const [first = 'history-1', ...others] = names;
      await supervisor.start(partOf(running, first));
      await Promise.all(others.map((name) => supervisor.start(partOf(running, name))));
      await ensureNamespace(cluster);
      return `${names.join(', ')}, with mTLS`;
    });
    await terminal.step('service', async () => {
      const all = [...running.workers, ...running.apis];
      await Promise.all(all.map((name) => supervisor.start(partOf(running, name))));
      return all.join(', ');
    });
    return running;
  } catch (error) {
    await stopCluster(running);
    throw error;
  }
}

async function startDatabases({ cluster, supervisor }: RunningCluster, terminal: Terminal): Promise<void> {
  const url = superuserUrl(cluster, cluster.primary);
  await terminal.step('postgres', async () => {
    await supervisor.start(postgresPartOf(cluster, cluster.primary));
    // Until the replica follows, no commit may wait for it.
    await waitForReplica(url, false);
    await ensureRoles(url, cluster.stack.secrets.postgres);
    await ensureDatabase(url, DATABASE);
    return `${cluster.primary} is the primary, on 127.0.0.1:${cluster.portOf(cluster.primary)}`;
  });
  await terminal.step('schemas', async () => {
    const password = cluster.stack.secrets.postgres.owner;
    const port = cluster.portOf(cluster.primary);
    await migrate(postgresUrl({ user: OWNER_ROLE, password, port, database: DATABASE }));
    await prepareTemporalDatabases(cluster, url);
    return "the service's and Temporal's";
  });
  await terminal.step('replica', async () => {
    await startReplica(cluster, supervisor);
    return `${cluster.readsFrom} follows, and commits wait for it`;
  });
  await terminal.step('pooler', async () => {
    await supervisor.start(poolerPart(cluster));
    return `PgBouncer on 127.0.0.1:${cluster.portOf('pooler')}`;
  });
}

/**
 * Starts the other server as the replica, from a fresh copy of the primary. Throws if it does not follow within 30 s.
 */
export async function startReplica(cluster: Cluster, supervisor: Supervisor): Promise<void> {
  const { stack, primary, portOf } = cluster;
  const name = POSTGRES.find((one) => one !== primary) ?? primary;
  const url = superuserUrl(cluster, primary);
  const home = (of: PostgresName) => join(stack.settings.home, of);
  const source = {
    url,
    port: portOf(primary),
    password: stack.secrets.postgres.superuser,
    home: home(primary),
  };
  await copyPrimary(source, home(name));
  await supervisor.start(postgresPartOf(cluster, name));
  if (!(await replicaStreams(url, STREAMS_MS))) throw new Error(`${name} does not follow ${primary}`);
  await waitForReplica(url, true);
  cluster.readsFrom = name;
}

/** The part of a name. Throws for names that the cluster does not have. */
export function partOf(running: RunningCluster, name: string): Part {
  const { cluster } = running;
  if (name === 'pooler') return poolerPart(cluster);
  if (name === 'proxy') return proxyPart(cluster, behindProxy(running));
  if (running.apis.includes(name)) return apiProcess(cluster, name);
  if (running.workers.includes(name)) return workerProcess(cluster, name);
  const service = names.find((one) => one === name);
  if (service) return temporalServicePart(cluster, service);
  const server = POSTGRES.find((one) => one === name);
  if (server) return postgresPartOf(cluster, server);
  throw new Error(`the cluster has no process ${name}`);
}

/** The servers behind the proxy. */
export function behindProxy({ cluster, apis }: RunningCluster): BehindProxy {
  const behind = (name: string): Behind => ({ name, port: cluster.portOf(name) });
  const frontends = names.filter((name) => TEMPORAL_SERVICES[name] === 'frontend');
  return { apis: apis.map(behind), frontends: frontends.map(behind) };
}

/** Stops all processes: the service first, Postgres last, the replica after the primary has sent it everything. */
export async function stopCluster({ supervisor, apis, workers, cluster }: RunningCluster): Promise<void> {
  const stop = (group: readonly string[]) =>
    supervisor.stop(supervisor.names().filter((name) => group.includes(name)));
  await stop([...apis, ...workers, ...cluster.stack.agents.map(({ slug }) => slug)]);
  await stop(names);
  await stop(['proxy', 'pooler']);
  await stop([cluster.primary]);
  await supervisor.stop(supervisor.names());
}

/** The server that was the primary when the cluster was stopped: the one that is no replica. */
export function formerPrimary(home: string): PostgresName {
  const isPrimary = (name: PostgresName) =>
    existsSync(join(home, name, 'postgres/PG_VERSION')) &&
    !existsSync(join(home, name, 'postgres/standby.signal'));
  return POSTGRES.find(isPrimary) ?? 'postgres-1';
}
