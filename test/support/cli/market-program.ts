/** Verbs of `market` in the process of the test: much cheaper than a process for each (`market-command.ts`). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AddVerbs } from '../../../src/cli/command-line';
import { saveSession } from '../../../src/cli/login/session-file';
import type { TestUser } from '../market';

export interface Printed {
  code: number | string | undefined;
  stdout: string;
  stderr: string;
}

/** Runs the verbs of `groups` for a user who is logged in. One run at a time: the output is that of the process. */
export function marketProgram(url: string, groups: readonly AddVerbs[]) {
  const folder = mkdtempSync(join(tmpdir(), 'market-program-'));
  const before = { ...process.env };
  Object.assign(process.env, { MARKET_CONFIG_DIR: folder, MARKET_API_URL: url });
  delete process.env['MARKET_API_KEY'];
  return {
    async run(user: TestUser, ...args: string[]): Promise<Printed> {
      saveSession('default', url, user);
      const program = new Command('market').option('--json').option('--api <url>').option('--profile <name>');
      for (const add of groups) add(program);
      const out = capture('stdout');
      const err = capture('stderr');
      try {
        await program.parseAsync(args, { from: 'user' });
        return { code: process.exitCode, stdout: out.text(), stderr: err.text() };
      } finally {
        out.end();
        err.end();
        process.exitCode = undefined;
      }
    },
    remove() {
      process.env = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The test and its verbs have different views of the process, so the stream itself is what is changed. */
function capture(name: 'stdout' | 'stderr') {
  const stream = process[name];
  const write = stream.write;
  let text = '';
  stream.write = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  return {
    text: () => text,
    end: () => {
      stream.write = write;
    },
  };
}
