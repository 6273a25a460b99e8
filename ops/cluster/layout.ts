import { join, resolve } from 'node:path';
import type { Stack } from '../../src/runtime/stack';
import type { TemporalFiles } from './certificates';
import { freePort } from '../../src/runtime/processes/processes';
import { reservePort } from '../../src/runtime/processes/port-reservations';

/** The servers of Postgres. One is the primary, the other one its replica; a failover changes which. */
export const POSTGRES = ['postgres-1', 'postgres-2'] as const;
export type PostgresName = (typeof POSTGRES)[number];

/** The services of Temporal, each a process of its own. */
export const TEMPORAL_SERVICES = {
  'frontend-1': 'frontend',
  'frontend-2': 'frontend',
  'history-1': 'history',
  'history-2': 'history',
  'matching-1': 'matching',
  'matching-2': 'matching',
  'temporal-worker': 'worker',
} as const;
export type TemporalName = keyof typeof TEMPORAL_SERVICES;

export const APIS = ['api-1', 'api-2'] as const;
export const WORKERS = ['worker-1', 'worker-2'] as const;

/** Databases of Temporal, and the role that owns them. */
export const TEMPORAL_DATABASES = { persistence: 'temporal', visibility: 'temporal_visibility' } as const;
export const TEMPORAL_ROLE = 'temporal';

/** Further secrets of a cluster, beside those of the stack. */
export interface ClusterSecrets {
  temporal: string;
  pooler: string;
}

/** The programs that the cluster runs beside Node and Postgres. */
export interface ClusterPrograms {
  temporalServer: string;
  temporalSqlTool: string;
  pgbouncer: string;
  haproxy: string;
  /** True if the pooler keeps prepared statements between transactions (PgBouncer 1.21). */
  poolerPrepares: boolean;
}

/** What the parts of a running cluster share. `stack.ports` has the public ports: of the proxy, and of the primary. */
export interface Cluster {
  stack: Stack;
  secrets: ClusterSecrets;
  programs: ClusterPrograms;
  tls: TemporalFiles;
  primary: PostgresName;
  /** The server that reads go to; the primary while there is no replica. */
  readsFrom: PostgresName;
  /** The port of a process, the same each time it starts. */
  portOf: (name: string) => number;
}

/** Chooses a free port for each name, such as `history-1`, `history-1/membership` or `api-1/metrics`. */
export async function choosePortsOf(names: readonly string[]): Promise<(name: string) => number> {
  const ports = new Map<string, number>();
  for (const name of names) {
    let port = await freePort();
    while ([...ports.values()].includes(port) || !reservePort(port)) port = await freePort();
    ports.set(name, port);
  }
  return (name) => {
    const port = ports.get(name);
    if (port === undefined) throw new Error(`${name} has no port`);
    return port;
  };
}

/** The folder of a cluster's data, logs and secrets: CLUSTER_HOME, or `.market-cluster` of the clone. */
export function clusterHome(root: string, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env['CLUSTER_HOME'] || join(root, '.market-cluster'));
}
