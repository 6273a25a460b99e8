import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { isAlive, stopProcess, waitUntil } from './processes';

/** How a local Temporal development server is started. `databaseFile` keeps its state; without it, it is in memory. */
export interface TemporalServerOptions {
  binary: string;
  port: number;
  /** Port of the web UI; without it there is none. */
  uiPort?: number;
  databaseFile?: string;
  logFile: string;
  namespace: string;
}

export interface RunningTemporal {
  pid: number;
  address: string;
  child: ChildProcess;
  stop: () => Promise<void>;
}

/** Starts the server and resolves when it answers for its namespace. */
export async function startTemporal(options: TemporalServerOptions): Promise<RunningTemporal> {
  const log = openSync(options.logFile, 'a', 0o644);
  const child = spawn(options.binary, serverArguments(options), {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, TEMPORAL_CLI_NO_UPDATE_CHECK: '1' },
  });
  closeSync(log);
  child.on('error', () => undefined);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`the Temporal server did not start: cannot run ${options.binary}`);
  const address = `127.0.0.1:${options.port}`;
  const up = await waitUntil(async () => !isAlive(pid) || (await serves(address, options.namespace)), 60_000, 100);
  if (!up || !isAlive(pid)) {
    await stopProcess(pid, 'SIGTERM', 3_000);
    throw new Error(`the Temporal server did not start on port ${options.port}; its log is ${options.logFile}`);
  }
  return { pid, address, child, stop: () => stopProcess(pid, 'SIGTERM', 5_000) };
}

function serverArguments(options: TemporalServerOptions): string[] {
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(options.port)];
  args.push('--namespace', options.namespace, '--log-level', 'warn', '--log-format', 'json');
  args.push(...(options.uiPort === undefined ? ['--headless'] : ['--ui-port', String(options.uiPort)]));
  if (options.databaseFile) {
    args.push('--db-filename', options.databaseFile);
    args.push('--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=2');
  }
  args.push('--dynamic-config-value', 'frontend.WorkflowTimeSkippingEnabled=true');
  return args;
}

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
