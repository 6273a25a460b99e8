import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { requireCompiled } from '../../../src/runtime/base/compiled.cjs';

const ROOT = resolve(__dirname, '../../..');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON, of a run with `--json`. */
  json: <T = Record<string, unknown>>() => T;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** On standard input, which ends then. */
  input?: string;
}

/**
 * The command `market` of one person, as compiled (build once before), with a place for its session. `run` runs it in a
 * process that the commands of all files share, one command at a time; `runAlone` starts a process as `npx market`
 * does.
 */
export function marketCommand(apiUrl: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'market-cli-'));
  const envOf = (options: RunOptions) => ({
    PATH: process.env['PATH'] ?? '',
    MARKET_API_URL: apiUrl,
    MARKET_CONFIG_DIR: join(folder, 'config'),
    MARKET_HOME: join(folder, 'no-stack'),
    ...env,
    ...options.env,
  });
  return {
    folder,
    envOf,
    async run(args: string[], options: RunOptions = {}): Promise<Ended> {
      return endedOf(await askHost({ args, env: envOf(options), input: options.input ?? '' }));
    },
    async runAlone(args: string[], options: RunOptions = {}): Promise<Ended> {
      return endedOf(await spawned(args, envOf(options), options.input ?? ''));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type MarketCommand = ReturnType<typeof marketCommand>;

type Printed = Omit<Ended, 'json'>;

function endedOf(printed: Printed): Ended {
  return {
    ...printed,
    json: <T>() => {
      try {
        return JSON.parse(printed.stdout) as T;
      } catch {
        throw new Error(`exit ${printed.code}, no JSON: ${printed.stdout}${printed.stderr}`);
      }
    },
  };
}

async function spawned(args: string[], env: Record<string, string>, input: string): Promise<Printed> {
  const child = spawn(process.execPath, ['tools/market.mjs', ...args], { cwd: ROOT, env });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}

interface HostedCommand {
  args: string[];
  env: Record<string, string>;
  input: string;
}

let host: ChildProcess | undefined;
let asked = 0;
const waiting = new Map<number, { settle: (printed: Printed) => void; fail: (error: Error) => void }>();

function askHost(command: HostedCommand): Promise<Printed> {
  host ??= startHost();
  const id = (asked += 1);
  host.send({ id, ...command });
  return new Promise((settle, fail) => waiting.set(id, { settle, fail }));
}

/** The host ends with the process of the test, when the channel between them closes. */
function startHost(): ChildProcess {
  requireCompiled(ROOT);
  const child = fork(join(__dirname, 'command-host.mjs'), {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.on('message', ({ id, ...printed }: Printed & { id: number }) => {
    waiting.get(id)?.settle(printed);
    waiting.delete(id);
  });
  child.once('exit', (code) => {
    host = undefined;
    for (const { fail } of waiting.values()) fail(new Error(`the host of commands ended with ${code}`));
    waiting.clear();
  });
  child.unref();
  child.channel?.unref();
  return child;
}
