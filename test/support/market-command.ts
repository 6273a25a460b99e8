import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

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
 * The command `market` of one person, as `npx market` starts it (compiled: build once before): a process of its own for
 * each run, with a place for its session.
 */
export function marketCommand(apiUrl: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'market-cli-'));
  return {
    folder,
    run(args: string[], options: RunOptions = {}): Promise<Ended> {
      const child = spawn(process.execPath, ['tools/market.mjs', ...args], {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'] ?? '',
          MARKET_API_URL: apiUrl,
          MARKET_CONFIG_DIR: join(folder, 'config'),
          MARKET_HOME: join(folder, 'no-stack'),
          ...env,
          ...options.env,
        },
      });
      const ended = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          ended[name] += text;
        });
      child.stdin.end(options.input ?? '');
      return new Promise((settle, fail) => {
        child.once('error', fail);
        child.once('close', (code) =>
          settle({
            code,
            ...ended,
            json: <T>() => {
              try {
                return JSON.parse(ended.stdout) as T;
              } catch {
                throw new Error(`exit ${code}, no JSON: ${ended.stdout}${ended.stderr}`);
              }
            },
          }),
        );
      });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type MarketCommand = ReturnType<typeof marketCommand>;
