import type { ChildProcess } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../engine/search-attributes';
import { SEARCH_ATTRIBUTE_BYTES } from './limits';
import { spawnDetached, stopProcess, untilReady } from '../processes/processes';

/** Options of a local Temporal development server. Without `databaseFile`, its state is in memory only. */
export interface TemporalServerOptions {
  binary: string;
  port: number;
  /** Port of the web UI. Without it, the server has no UI. */
  uiPort?: number;
  databaseFile?: string;
  logFile: string;
  namespace: string;
  /** Further dynamic configuration, such as the rate limits that a benchmark raises. */
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

/** Starts the server and resolves once it serves its namespace. */
export async function startTemporal(options: TemporalServerOptions): Promise<RunningTemporal> {
  const { pid, child, logFrom } = spawnDetached({
    command: options.binary,
    args: serverArguments(options),
    env: { GOGC: GARBAGE_COLLECTION, ...process.env },
    logFile: options.logFile,
  });
  const address = `127.0.0.1:${options.port}`;
  const stop = () => stopProcess(pid, 'SIGTERM', STOP_GRACE_MS);
  const isReady = () => serves(address, options.namespace);
  await untilReady(pid, { name: 'Temporal', timeoutMs: 60_000, isReady, stop, logFrom, ...options });
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
  // The server has them before the first workflow starts.
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES))
    args.push('--search-attribute', `${name}=${type}`);
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

/** GOGC: collecting garbage less often saves a tenth of the CPU per call and costs some memory. */
const GARBAGE_COLLECTION = '400';

/**
 * How often the server deletes completed tasks. Until then it copies all of them for each new task. At the default of
 * 30 s and 50 calls per second, this takes a sixth of its time.
 */
const QUEUES = Object.fromEntries(
  ['visibility', 'transfer', 'timer'].map((queue) => [`history.${queue}ProcessorUpdateAckInterval`, '"2s"']),
);

/**
 * Limits of the visibility queue: polls per second (default 20), tasks per poll, and concurrent writes. The server's
 * database has a single connection, so these writes delay everything else. With fewer polls, a workflow that has ended
 * by then is written once instead of twice, which saves a quarter of a call's cost. Under load, Temporal's lists lag by
 * about a second.
 */
const LISTS = {
  // Otherwise each write of a list reads the search attributes from the database again. They are added at start.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
  'frontend.searchAttributesSizeOfValueLimit': SEARCH_ATTRIBUTE_BYTES,
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
