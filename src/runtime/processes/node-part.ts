import type { Part } from './supervisor';
import { spawnDetached, stopProcess, untilReady } from './processes';

export interface NodePartOptions {
  name: string;
  /** Node arguments: options, then the script. */
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  logFile: string;
  isReady: () => boolean | Promise<boolean>;
}

const READY_MS = 60_000;
const STOP_GRACE_MS = 5_000;

/** A part that is a Node process. It is stopped by SIGTERM, and killed if it is still running after 5 s. */
export function nodePart(options: NodePartOptions): Part {
  const { name, logFile, isReady } = options;
  return {
    name,
    async start(signal) {
      const { pid, child, logFrom } = spawnDetached({ ...options, command: process.execPath });
      const stop = () => stopProcess(pid, 'SIGTERM', STOP_GRACE_MS);
      const abort = () => void stop();
      signal.addEventListener('abort', abort, { once: true });
      try {
        await untilReady(pid, { name, logFile, logFrom, timeoutMs: READY_MS, isReady, stop, signal });
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return { pid, child, stop };
    },
  };
}

/** Readiness check for processes without one: ready when the process has been running for `ms`. */
export function aliveFor(ms: number): () => boolean {
  let since = 0;
  return () => {
    since ||= Date.now();
    return Date.now() - since >= ms;
  };
}
