import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { removePlace } from '../../../src/runtime/postgres/postgres-binaries';
import { isAlive } from '../../../src/runtime/base/alive.cjs';
import { freePort, waitUntil } from '../../../src/runtime/processes/processes';
import type { RuntimeFile } from '../../../src/runtime/runtime-file';

const ROOT = resolve(__dirname, '../../..');

/** A home of its own for `npm start`, with ports of its own. */
export interface TestHome {
  home: string;
  ports: { PORT: number; TEMPORAL_PORT: number; TEMPORAL_UI_PORT: number; POSTGRES_PORT: number };
  remove: () => void;
}

export async function createTestHome(): Promise<TestHome> {
  const home = mkdtempSync(join(tmpdir(), 'market-start-'));
  const [PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, POSTGRES_PORT] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  return {
    home,
    ports: { PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, POSTGRES_PORT },
    remove() {
      removePlace(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A real `npm start` in a process group of its own, as a terminal gives it. */
export interface NpmStart {
  output: () => string;
  /** Waits for a text in the output; fails with the whole output when it does not come. */
  until: (text: string | RegExp, timeoutMs: number) => Promise<void>;
  /** What Ctrl-C does: SIGINT to the whole group. */
  pressCtrlC: () => void;
  /** The exit code; a stack that is still there after `timeoutMs` is a failure. */
  ended: (timeoutMs: number) => Promise<number | null>;
  runtime: () => RuntimeFile;
  /** The processes of the stack by name. */
  processes: () => { name: string; pid: number }[];
  /** Ends the group, SIGTERM unless another signal is given. */
  kill: (signal?: NodeJS.Signals) => void;
  /** Stops reading its output and closes the pipes. */
  leave: () => void;
}

export function npmStart(
  at: TestHome,
  env: Record<string, string> = {},
  words: readonly string[] = [],
): NpmStart {
  const child: ChildProcess = spawn('npm', ['start', '--', ...words], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...textOf(at.ports),
      MARKET_HOME: at.home,
      BUILD_DOCS: 'false',
      DEMONSTRATION_HISTORY: 'false',
      CI: 'true',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const group = -(child.pid ?? 0);
  const read = <T>(name: string) => JSON.parse(readFileSync(join(at.home, name), 'utf8')) as T;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    output: () => output,
    async until(text, timeoutMs) {
      const found = () => (typeof text === 'string' ? output.includes(text) : text.test(output));
      const seen = await waitUntil(() => found() || hasEnded(), timeoutMs);
      if (!seen || !found()) throw new Error(`${String(text)} did not come; the output:\n${output}`);
    },
    pressCtrlC: () => process.kill(group, 'SIGINT'),
    async ended(timeoutMs) {
      if (!(await waitUntil(hasEnded, timeoutMs))) throw new Error(`still running; the output:\n${output}`);
      return child.exitCode;
    },
    runtime: () => read<RuntimeFile>('runtime.json'),
    processes: () =>
      read<{ name: string; pid: number }[]>('processes.json').filter(({ pid }) => isAlive(pid)),
    kill(signal = 'SIGTERM') {
      if (!hasEnded()) process.kill(group, signal);
    },
    leave() {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

function textOf(ports: TestHome['ports']): Record<string, string> {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
}
