import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * One process of the stack. `start` resolves when the process is ready, and may be called again after it has ended.
 * When its signal aborts, `start` stops what it has started and throws.
 */
export interface Part {
  name: string;
  start: (signal: AbortSignal) => Promise<RunningPart>;
}

export interface RunningPart {
  pid: number;
  child: ChildProcess;
  stop: () => Promise<void>;
}

export interface SupervisorOptions {
  /** Called when a part died, when it runs again, and when a restart failed. */
  notice: (line: string) => void;
  /** Called after every change of the set of processes. */
  onChange: (processes: { name: string; pid: number }[]) => void;
}

export interface Supervisor {
  /** Starts a part, and restarts it whenever it dies. */
  start: (part: Part) => Promise<void>;
  /** Stops a part; the supervisor then restarts it. */
  restart: (name: string) => Promise<void>;
  /** Stops the named parts concurrently and ends their supervision. */
  stop: (names: readonly string[]) => Promise<void>;
  /** Prevents all further starts. */
  close: () => void;
  names: () => string[];
  processes: () => { name: string; pid: number }[];
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;

interface Watched {
  part: Part;
  running: RunningPart | undefined;
  /** Aborts when the part must not be restarted any more. */
  dismissal: AbortSignal;
  dismiss: () => void;
  /** Settles when supervision of the part has ended. */
  watch: Promise<void>;
}

/** Creates a supervisor, which restarts parts that die, with exponential backoff. */
export function createSupervisor({ notice, onChange }: SupervisorOptions): Supervisor {
  const parts = new Map<string, Watched>();
  let closed = false;
  const processes = () =>
    [...parts.values()].flatMap(({ part, running }) =>
      running ? [{ name: part.name, pid: running.pid }] : [],
    );
  const changed = () => onChange(processes());
  return {
    async start(part) {
      if (closed) throw new Error('the stack is being stopped');
      const watched = newWatched(part);
      parts.set(part.name, watched);
      const launched = launch(watched, changed);
      watched.watch = launched.then(() => watch(watched, changed, notice)).catch(() => undefined);
      await launched;
    },
    close() {
      closed = true;
    },
    async restart(name) {
      await parts.get(name)?.running?.stop();
    },
    async stop(names) {
      const leaving = names.flatMap((name) => parts.get(name) ?? []);
      for (const { dismiss } of leaving) dismiss();
      await Promise.all(leaving.map(async ({ running }) => running?.stop()));
      await Promise.all(leaving.map(({ watch: settled }) => settled));
      for (const { part } of leaving) parts.delete(part.name);
      changed();
    },
    names: () => [...parts.keys()],
    processes,
  };
}

function newWatched(part: Part): Watched {
  const controller = new AbortController();
  const dismiss = () => controller.abort();
  return { part, running: undefined, dismissal: controller.signal, dismiss, watch: Promise.resolve() };
}

async function launch(watched: Watched, changed: () => void): Promise<void> {
  const running = await watched.part.start(watched.dismissal);
  watched.running = running;
  changed();
  if (watched.dismissal.aborted) await running.stop();
}

async function watch(watched: Watched, changed: () => void, notice: (line: string) => void): Promise<void> {
  let pause = FIRST_BACKOFF_MS;
  while (watched.running) {
    const startedAt = Date.now();
    const reason = await ended(watched.running.child);
    watched.running = undefined;
    changed();
    if (watched.dismissal.aborted) return;
    if (Date.now() - startedAt > HEALTHY_AFTER_MS) pause = FIRST_BACKOFF_MS;
    notice(`${watched.part.name} ended (${reason}); restarting it in ${pause / 1_000} s`);
    pause = await relaunch(watched, pause, changed, notice);
  }
}

/** Restarts a part, with backoff, until it runs or is dismissed. Returns the pause before the next restart. */
async function relaunch(
  watched: Watched,
  firstPauseMs: number,
  changed: () => void,
  notice: (line: string) => void,
): Promise<number> {
  const { part, dismissal } = watched;
  for (let pause = firstPauseMs; ; pause = longer(pause)) {
    await sleep(pause, undefined, { signal: dismissal }).catch(() => undefined);
    if (dismissal.aborted) return pause;
    try {
      await launch(watched, changed);
      if (!dismissal.aborted) notice(`${part.name} is running again (process ${watched.running?.pid})`);
      return longer(pause);
    } catch (error) {
      if (dismissal.aborted) return pause;
      const next = longer(pause) / 1_000;
      notice(`${part.name} did not start: ${(error as Error).message}; next attempt in ${next} s`);
    }
  }
}

/** Resolves when a child process has ended, with a description such as `exit code 1`. */
function ended(child: ChildProcess): Promise<string> {
  const reason = () => child.signalCode ?? `exit code ${child.exitCode}`;
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(reason());
  return new Promise((resolve) => child.once('exit', () => resolve(reason())));
}

function longer(pauseMs: number): number {
  return Math.min(pauseMs * 2, LONGEST_BACKOFF_MS);
}
