import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { eventually } from '../market';

const ROOT = resolve(__dirname, '../../..');

/** A command of `market` at a terminal, which `script` of util-linux makes. Arguments have no quotes. */
export function marketAtTerminal(args: readonly string[], env: Record<string, string>) {
  const command = ['exec', process.execPath, 'tools/market.mjs', ...args].join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: ROOT, env });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    /** The code with which the command ends. */
    ended,
    shown: () => shown,
    /** Types a text once the terminal shows something new that matches. */
    async type(text: string, after: RegExp): Promise<void> {
      await eventually(() => Promise.resolve(after.test(shown)), 20_000);
      shown = '';
      child.stdin.write(text);
    },
  };
}
