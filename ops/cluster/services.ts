import { join } from 'node:path';
import { createApiClient } from '../../src/runtime/demonstration/api-client';
import { DATABASE, serviceEnvironment } from '../../src/runtime/environment';
import { APP_ROLE } from '../../src/runtime/postgres/database';
import { postgresUrl } from '../../src/runtime/postgres/postgres';
import { aliveFor, nodePart } from '../../src/runtime/processes/node-part';
import type { Part } from '../../src/runtime/processes/supervisor';
import { logFile } from '../../src/runtime/stack';
import type { Cluster } from './layout';
import { POOLS } from './pooler-config';
import { temporalClientEnvironment } from './temporal-services';

/** How long a worker process runs before it counts as started. */
const WORKER_STARTS_MS = 1_500;

/** An API process. It is ready when it answers; the proxy then finds it by itself. */
export function apiProcess(cluster: Cluster, name: string): Part {
  const port = cluster.portOf(name);
  const client = createApiClient(`http://127.0.0.1:${port}`);
  return processPart(cluster, name, 'api', { PORT: String(port) }, async () => {
    const answer = await client.attempt('GET', '/readiness').catch(() => undefined);
    return answer?.status === 200 || answer?.status === 503;
  });
}

export function workerProcess(cluster: Cluster, name: string): Part {
  return processPart(cluster, name, 'workers', {}, aliveFor(WORKER_STARTS_MS));
}

function processPart(
  cluster: Cluster,
  name: string,
  entry: 'api' | 'workers',
  env: NodeJS.ProcessEnv,
  isReady: () => boolean | Promise<boolean>,
): Part {
  const { root, home } = cluster.stack.settings;
  return nodePart({
    name,
    args: ['--enable-source-maps', join(root, 'dist', entry, 'main.js')],
    cwd: root,
    env: { ...processEnvironment(cluster), METRICS_PORT: String(cluster.portOf(`${name}/metrics`)), ...env },
    logFile: logFile(home, name),
    isReady,
  });
}

/** The environment of an API or a worker: every address is the pooler's or the proxy's. */
export function processEnvironment(cluster: Cluster): NodeJS.ProcessEnv {
  const { stack, programs, portOf } = cluster;
  const pool = (database: string) =>
    postgresUrl({ user: APP_ROLE, password: stack.secrets.postgres.app, port: portOf('pooler'), database });
  return {
    ...serviceEnvironment({ ...stack, home: stack.settings.home }),
    ...temporalClientEnvironment(cluster),
    // The proxy's own requests, and those of this machine's clients behind it.
    TRUSTED_PROXIES: '127.0.0.1/32',
    DATABASE_URL: pool(DATABASE),
    DATABASE_SESSION_URL: pool(POOLS.sessions),
    DATABASE_READ_URL: pool(POOLS.reads),
    DATABASE_PREPARED_STATEMENTS: String(programs.poolerPrepares),
    TEMPORAL_UI_URL: '',
  };
}
