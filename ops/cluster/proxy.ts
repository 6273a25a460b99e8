import { createConnection } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnDetached, stopProcess, untilReady, waitUntil } from '../../src/runtime/processes/processes';
import type { Part } from '../../src/runtime/processes/supervisor';
import { logFile } from '../../src/runtime/stack';
import type { Cluster } from './layout';
import { BACKENDS, type Behind, proxyConfig } from './proxy-config';

const READY_MS = 20_000;
const STOP_GRACE_MS = 5_000;
const ANSWER_MS = 2_000;
const DRAIN_MS = 30_000;
/** The proxy checks each second. */
const UP_MS = 15_000;
/** The columns of `show stat` with the requests that a server is answering, and with its status. */
const CURRENT = 4;
const STATUS = 17;

export interface BehindProxy {
  apis: Behind[];
  frontends: Behind[];
}

/** HAProxy, in front of the APIs and of Temporal's frontends. Its first process starts the one that serves. */
export function proxyPart(cluster: Cluster, behind: BehindProxy): Part {
  const { home } = cluster.stack.settings;
  const path = logFile(home, 'proxy');
  return {
    name: 'proxy',
    async start(signal) {
      const config = writeProxyConfig(cluster, behind);
      const { pid, child, logFrom } = spawnDetached({
        command: cluster.programs.haproxy,
        args: ['-W', '-db', '-f', config],
        env: process.env,
        logFile: path,
        cwd: home,
      });
      // At this signal, HAProxy takes no new connections and ends when the present requests have been answered.
      const stop = () => stopProcess(pid, 'SIGUSR1', STOP_GRACE_MS);
      const isReady = () => answersCommands(cluster);
      await untilReady(pid, {
        name: 'proxy',
        logFile: path,
        logFrom,
        timeoutMs: READY_MS,
        isReady,
        stop,
        signal,
      });
      return { pid, child, stop };
    },
  };
}

function writeProxyConfig(cluster: Cluster, behind: BehindProxy): string {
  const config = join(cluster.stack.settings.home, 'haproxy.cfg');
  const { api, temporal } = cluster.stack.ports;
  const text = proxyConfig({ apiPort: api, temporalPort: temporal, socket: socketOf(cluster), ...behind });
  writeFileSync(config, text, { mode: 0o600 });
  return config;
}

/**
 * Replaces the process that serves by one with the present configuration. It takes the listening sockets; the one
 * before ends after its last answer. Throws if the process that serves is still the same after 20 s.
 */
export async function replaceProxy(cluster: Cluster, pid: number, behind: BehindProxy): Promise<void> {
  writeProxyConfig(cluster, behind);
  const before = await servingProcess(cluster);
  process.kill(pid, 'SIGUSR2');
  const isReplaced = async () =>
    servingProcess(cluster).then(
      (now) => now !== before,
      () => false,
    );
  if (!(await waitUntil(isReplaced, READY_MS, 50))) throw new Error('the proxy was not replaced');
}

/** The id of the process that serves, as it reports it. */
async function servingProcess(cluster: Cluster): Promise<string> {
  return /^Pid: (\d+)/m.exec(await commandProxy(cluster, 'show info'))?.[1] ?? '';
}

const answersCommands = (cluster: Cluster) =>
  servingProcess(cluster).then(
    (pid) => pid !== '',
    () => false,
  );

/** Sends no new request to an API, and resolves when it has answered those that it has. */
export async function drain(cluster: Cluster, api: string): Promise<void> {
  await commandProxy(cluster, `set server ${BACKENDS.apis}/${api} state drain`);
  const isIdle = async () => (await requestsOf(cluster, api)) === 0;
  if (!(await waitUntil(isIdle, DRAIN_MS, 50)))
    throw new Error(`${api} still answers after ${DRAIN_MS / 1_000} s`);
}

/**
 * Sends requests to an API again. Resolves when the proxy's own check has found it up: if the next API were drained
 * before, no server would be left.
 */
export async function undrain(cluster: Cluster, api: string): Promise<void> {
  await commandProxy(cluster, `set server ${BACKENDS.apis}/${api} state ready`);
  const isUp = async () => (await columnOf(cluster, api, STATUS)).startsWith('UP');
  if (!(await waitUntil(isUp, UP_MS, 50)))
    throw new Error(`the proxy does not find ${api} up after ${UP_MS / 1_000} s`);
}

const requestsOf = async (cluster: Cluster, api: string) => Number(await columnOf(cluster, api, CURRENT));

/** A column of what the proxy says of an API. */
async function columnOf(cluster: Cluster, api: string, column: number): Promise<string> {
  const lines = (await commandProxy(cluster, 'show stat')).split('\n');
  const line = lines.find((one) => one.startsWith(`${BACKENDS.apis},${api},`));
  if (line === undefined) throw new Error(`the proxy does not know ${api}`);
  return line.split(',')[column] ?? '';
}

/** Short, because the path of a socket may have 107 characters. */
function socketOf(cluster: Cluster): string {
  return join(cluster.stack.settings.home, 'proxy.sock');
}

function commandProxy(cluster: Cluster, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketOf(cluster));
    let answer = '';
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('the proxy does not answer')));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.once('error', reject).once('end', () => resolve(answer));
    socket.end(`${command}\n`);
  });
}
