import type { ChildProcess } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { spawnDetached, stopProcess, untilReady } from '../processes/processes';

/** How a local Temporal development server is started. `databaseFile` keeps its state; without it, it is in memory. */
export interface TemporalServerOptions {
  binary: string;
  port: number;
  /** Port of the web UI; without it there is none. */
  uiPort?: number;
  databaseFile?: string;
  logFile: string;
  namespace: string;
  /** More settings of the server, such as the rate limits that a benchmark raises. */
  dynamicConfig?: Readonly<Record<string, string | number>>;
  signal?: AbortSignal;
}

const STOP_GRACE_MS = 3_000;

export interface RunningTemporal {
  pid: number;
  address: string;
  child: ChildProcess;
  stop: () => Promise<void>;
}

/** Starts the server and resolves when it answers for its namespace. */
export async function startTemporal(options: TemporalServerOptions): Promise<RunningTemporal> {
  const { pid, child } = spawnDetached({
    command: options.binary,
    args: serverArguments(options),
    env: { GOGC: GARBAGE_COLLECTION, ...process.env },
    logFile: options.logFile,
  });
  const address = `127.0.0.1:${options.port}`;
  const stop = () => stopProcess(pid, 'SIGTERM', STOP_GRACE_MS);
  const isReady = () => serves(address, options.namespace);
  await untilReady(pid, { name: 'Temporal', timeoutMs: 60_000, isReady, stop, ...options });
  return { pid, address, child, stop };
}

function serverArguments(options: TemporalServerOptions): string[] {
  const args = [
    '--disable-config-file',
    '--disable-config-env',
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(options.port),
  ];
  args.push('--namespace', options.namespace, '--log-level', 'warn', '--log-format', 'json');
  args.push(
    ...(options.uiPort === undefined
      ? ['--headless']
      : ['--ui-port', String(options.uiPort), '--ui-disable-news-fetch']),
  );
  if (options.databaseFile) {
    args.push('--db-filename', options.databaseFile);
    args.push('--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=2');
  }
  const dynamicConfig = {
    'frontend.WorkflowTimeSkippingEnabled': 'true',
    ...QUEUES,
    ...LISTS,
    ...options.dynamicConfig,
  };
  for (const [name, value] of Object.entries(dynamicConfig)) {
    args.push('--dynamic-config-value', `${name}=${value}`);
  }
  return args;
}

/** Less often than by default: a tenth less CPU for each call, for some more memory. */
const GARBAGE_COLLECTION = '400';

/**
 * How often the server forgets tasks that are done. Until then it copies the lot at each new one, which at 50 calls a
 * second takes a sixth of its time when it is every 30 s, as by default.
 */
const QUEUES = Object.fromEntries(
  ['visibility', 'transfer', 'timer'].map((queue) => [`history.${queue}ProcessorUpdateAckInterval`, '"2s"']),
);

/**
 * How often a second, at most, the server looks for what its lists have to show (20 times by default), how much it takes
 * each time, and how much of that it writes at once: its database has one connection, where everybody else waits for the
 * lists. Of a workflow that has ended by then it writes no start, which is a quarter of what a call costs it. The lists are
 * a second behind when there is much to do.
 */
const LISTS = {
  'history.visibilityProcessorMaxPollRPS': 1,
  'history.visibilityTaskBatchSize': 500,
  'history.visibilityProcessorSchedulerWorkerCount': 4,
};

async function serves(address: string, namespace: string): Promise<boolean> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 1_000 });
    await connection.withDeadline(Date.now() + 2_000, () =>
      (connection as Connection).workflowService.describeNamespace({ namespace }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
