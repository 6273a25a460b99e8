import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { usageFailure } from '../failure';

const START_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/**
 * The command that runs the agent of a folder: the script `dev` or `start` of package.json, else `server.py`, with the
 * Python of `.venv` if there is one. Throws `CliFailure` (exit 2) for other folders.
 */
export function commandOf(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    const { scripts = {} } = JSON.parse(readFileSync(file, 'utf8')) as { scripts?: Record<string, string> };
    const script = ['dev', 'start'].find((name) => scripts[name] !== undefined);
    if (script) return `npm run --silent ${script}`;
  }
  if (existsSync(join(folder, 'server.py')))
    return `${existsSync(join(folder, '.venv/bin/python')) ? '.venv/bin/python' : 'python3'} server.py`;
  throw usageFailure(`nothing says how ${folder} is started: pass --command "…"`);
}

export interface AgentProcess {
  /** Port on 127.0.0.1 that the agent listens on. */
  port: number;
  /** Stops the running process, if any, starts another one, and waits until it accepts connections. */
  restart: () => Promise<boolean>;
  /** Settles when no start is in progress. */
  ready: () => Promise<unknown>;
  stop: () => Promise<void>;
}

/**
 * Runs the agent as a child process with `PORT`, `HOST` and `MARKET_SIGNING_SECRET` in its environment. `say` gets its
 * output line by line.
 */
export async function createAgentProcess(options: {
  folder: string;
  command: string;
  secret: string | undefined;
  say: (line: string) => void;
}): Promise<AgentProcess> {
  const { folder, command, secret, say } = options;
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    // the command is a shell with children: all of its group end
    process.kill(-running.pid, 'SIGTERM');
    await ended;
  }

  async function startAgain(): Promise<boolean> {
    await stop();
    const env = {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      ...(secret && { MARKET_SIGNING_SECRET: secret }),
    };
    const started = spawn(command, {
      cwd: folder,
      env,
      shell: true,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.trimEnd().split('\n')) say(`  agent: ${line}`);
      });
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
      if (started.exitCode !== null) return false;
      if (await accepts(port)) return true;
    }
    return false;
  }

  let starting: Promise<unknown> = Promise.resolve();
  const restart = () => {
    const start = startAgain();
    starting = start.catch(() => undefined);
    return start;
  };
  return { port, restart, stop, ready: () => starting };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
