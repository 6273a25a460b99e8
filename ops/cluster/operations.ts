import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../src/runtime/postgres/database';
import { waitUntil } from '../../src/runtime/processes/processes';
import { POSTGRES, TEMPORAL_SERVICES } from './layout';
import { handOver, repoint, whilePaused } from './pooler';
import { drain, replaceProxy, undrain } from './proxy';
import { promote, replicaStreams, waitForReplica } from './replica';
import { behindProxy, partOf, type RunningCluster, startReplica, superuserUrl } from './start';
import { createApiClient } from '../../src/runtime/demonstration/api-client';

const READY_MS = 60_000;
/** Members of Temporal's ring need some seconds to learn who has come back. */
const RING_MS = 6_000;

/** The order of a rolling restart. One process is away at a time. */
export function rollingOrder({ apis, workers, cluster }: RunningCluster): string[] {
  const temporal = Object.keys(TEMPORAL_SERVICES);
  const replica = POSTGRES.filter((name) => name !== cluster.primary);
  return [...apis, ...workers, ...temporal, 'pooler', 'proxy', ...replica, cluster.primary];
}

/** Restarts one process as planned work, so that no call fails. Throws when it does not come back. */
export async function restartProcess(running: RunningCluster, name: string): Promise<void> {
  const { cluster, supervisor } = running;
  const again = async () => {
    await supervisor.stop([name]);
    await supervisor.start(partOf(running, name));
  };
  if (running.apis.includes(name)) return restartApi(running, name, again);
  if (name === cluster.primary) return restartPrimary(running, again);
  if (POSTGRES.some((one) => one === name)) return restartReplica(running, again);
  if (name in TEMPORAL_SERVICES) {
    await again();
    return sleep(RING_MS);
  }
  if (name === 'pooler') return handOver(cluster, supervisor);
  if (name === 'proxy') return replaceServing(running);
  await again();
}

/** The proxy sends an API nothing new, and the API answers what it has, before it stops. */
async function restartApi(running: RunningCluster, name: string, again: () => Promise<void>): Promise<void> {
  const { cluster } = running;
  await drain(cluster, name);
  await again();
  const client = createApiClient(`http://127.0.0.1:${cluster.portOf(name)}`);
  const isReady = async () =>
    (await client.attempt('GET', '/readiness').catch(() => undefined))?.status === 200;
  if (!(await waitUntil(isReady, READY_MS, 100))) throw new Error(`${name} is not ready after a restart`);
  await undrain(cluster, name);
}

/** Transactions wait in the pooler while the primary restarts. A checkpoint before makes that short. */
async function restartPrimary({ cluster }: RunningCluster, again: () => Promise<void>): Promise<void> {
  const url = superuserUrl(cluster, cluster.primary);
  await withClient(url, (client) => client.query('CHECKPOINT'));
  await whilePaused(cluster, async () => {
    await again();
    await replicaStreams(url, READY_MS);
  });
}

/** Commits do not wait for the replica while it is away, and reads go to the primary. */
async function restartReplica({ cluster }: RunningCluster, again: () => Promise<void>): Promise<void> {
  const url = superuserUrl(cluster, cluster.primary);
  await waitForReplica(url, false);
  await again();
  if (!(await replicaStreams(url, READY_MS))) throw new Error('the replica does not follow after a restart');
  await waitForReplica(url, true);
}

async function replaceServing(running: RunningCluster): Promise<void> {
  const pid = running.supervisor.processes().find(({ name }) => name === 'proxy')?.pid;
  if (pid === undefined) throw new Error('the proxy does not run');
  await replaceProxy(running.cluster, pid, behindProxy(running));
}

/** Ends a process by SIGKILL and does not start it again. `start` of the supervisor does, with its part. */
export async function lose({ supervisor }: RunningCluster, name: string): Promise<void> {
  const pid = supervisor.processes().find((one) => one.name === name)?.pid;
  if (pid === undefined) throw new Error(`${name} does not run`);
  process.kill(pid, 'SIGKILL');
  await supervisor.stop([name]);
}

/**
 * Makes the replica the primary after the primary is lost. Acknowledged commits are on its disk, because commits waited
 * for it. The pooler then leads to it. The lost server is not touched: `rebuildReplica` makes it the new replica.
 */
export async function failOver({ cluster }: RunningCluster): Promise<void> {
  const replica = POSTGRES.find((name) => name !== cluster.primary) ?? cluster.primary;
  const url = superuserUrl(cluster, replica);
  await promote(url);
  cluster.primary = replica;
  cluster.readsFrom = replica;
  await repoint(cluster);
}

/** Makes the server that is not the primary a replica again, from a fresh copy. */
export async function rebuildReplica({ cluster, supervisor }: RunningCluster): Promise<void> {
  const name = POSTGRES.find((one) => one !== cluster.primary) ?? cluster.primary;
  await supervisor.stop([name]);
  await startReplica(cluster, supervisor);
  await repoint(cluster);
}

/** Adds a third API and a third worker. The proxy starts again with them. */
export async function grow(running: RunningCluster): Promise<void> {
  const added = { api: `api-${running.apis.length + 1}`, worker: `worker-${running.workers.length + 1}` };
  running.apis.push(added.api);
  running.workers.push(added.worker);
  const { supervisor } = running;
  await Promise.all([added.api, added.worker].map((name) => supervisor.start(partOf(running, name))));
  await replaceServing(running);
}
