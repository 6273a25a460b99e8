import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { usageFailure } from '../failure';

const START_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** An agent that has run for so long begins again without a wait. */
const CALM_MS = 60_000;
const LONGEST_PAUSE_MS = 30_000;

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

interface AgentOptions {
  folder: string;
  command: string;
  secret: string | undefined;
  say: (line: string) => void;
}

/**
 * Runs the agent as a child process with `PORT`, `HOST` and `MARKET_SIGNING_SECRET` in its environment. `say` gets its
 * output line by line. An agent that ends by itself is reported and started again, after a growing pause when it ends
 * again and again.
 */
export async function createAgentProcess(options: AgentOptions): Promise<AgentProcess> {
  const { folder, command, secret, say } = options;
  const port = await freePort();
  let child: ChildProcess | undefined;
  let pause = new AbortController();
  let ends = 0;

  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    pause.abort();
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    // the command is a shell with children: all of its group end
    process.kill(-running.pid, 'SIGTERM');
    await ended;
  }

  async function startAgain(): Promise<boolean> {
    await stop();
    const started = spawnAgent({ folder, command, secret, say }, port);
    child = started;
    let since = 0;
    started.once('exit', (code, signal) => {
      if (since > 0 && child === started) startAfterEnd(signal ?? code, Date.now() - since);
    });
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await sleep(LOOK_EVERY_MS)) {
      if (hasEnded(started)) return false;
      if (!(await accepts(port))) continue;
      since = Date.now();
      // It may have ended between the two.
      if (hasEnded(started) && child === started) startAfterEnd(started.signalCode ?? started.exitCode, 0);
      return true;
    }
    return false;
  }

  /** Reports the end of an agent that was up, and starts it again. */
  function startAfterEnd(how: NodeJS.Signals | number | null, upMs: number): void {
    child = undefined;
    ends = upMs > CALM_MS ? 1 : ends + 1;
    const waitMs = ends === 1 ? 0 : Math.min(1_000 * 2 ** (ends - 2), LONGEST_PAUSE_MS);
    say(endText(how, waitMs));
    pause = new AbortController();
    starting = sleep(waitMs, undefined, { signal: pause.signal })
      .then(startAgain)
      .then((isUp) => isUp || say('the agent does not start: it is started again when a file changes'))
      // a file has changed, or the command ends
      .catch(() => undefined);
  }

  let starting: Promise<unknown> = Promise.resolve();
  const restart = () => {
    ends = 0;
    const start = startAgain();
    starting = start.catch(() => undefined);
    return start;
  };
  return { port, restart, stop, ready: () => starting };
}

/** Starts the command in a process group of its own, and passes its output on line by line. */
function spawnAgent({ folder, command, secret, say }: AgentOptions, port: number) {
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
  for (const stream of [started.stdout, started.stderr])
    createInterface(stream).on('line', (line) => say(`  agent: ${line}`.trimEnd()));
  return started;
}

function endText(how: NodeJS.Signals | number | null, waitMs: number): string {
  const when = waitMs === 0 ? '' : ` in ${waitMs / 1_000} s`;
  const end = typeof how === 'number' ? `with exit code ${how}` : `by ${how ?? 'an unknown cause'}`;
  return `the agent ended ${end}; it is started again${when}`;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

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
