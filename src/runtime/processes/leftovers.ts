import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file';
import { isAlive } from '../base/alive.cjs';
import { commandLine, stopProcess } from './processes';

interface RecordedProcess {
  name: string;
  pid: number;
  command: string;
}

/** Records the running processes, so that the next start can stop processes that a killed stack left behind. */
export function recordProcesses(home: string, processes: readonly { name: string; pid: number }[]): void {
  writePrivate(
    join(home, 'processes.json'),
    processes.map(({ name, pid }) => ({ name, pid, command: commandLine(pid) })),
  );
}

export function forgetProcesses(home: string): void {
  rmSync(join(home, 'processes.json'), { force: true });
}

/**
 * Stops the processes of an earlier stack in this home, Postgres last, and returns their names. A process id that now
 * belongs to another program is ignored.
 */
export async function stopLeftovers(home: string): Promise<string[]> {
  const left = readRecorded(home).filter(({ pid, command }) => isAlive(pid) && commandLine(pid) === command);
  const isPostgres = ({ name }: RecordedProcess) => name === 'postgres';
  await Promise.all(
    left.filter((part) => !isPostgres(part)).map(({ pid }) => stopProcess(pid, 'SIGTERM', 4_000)),
  );
  await Promise.all(left.filter(isPostgres).map(({ pid }) => stopProcess(pid, 'SIGINT', 5_000)));
  forgetProcesses(home);
  return left.map(({ name }) => name);
}

function readRecorded(home: string): RecordedProcess[] {
  try {
    return JSON.parse(readFileSync(join(home, 'processes.json'), 'utf8')) as RecordedProcess[];
  } catch {
    return [];
  }
}
