import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageFailure } from '../failure';

/** Reads standard input to its end as text. */
export async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/**
 * Prompts the user at the terminal. With `hidden`, the input is not echoed. Throws `CliFailure` (exit 2) when standard
 * input is not a terminal.
 */
export async function ask(question: string, options: { hidden?: boolean } = {}): Promise<string> {
  if (!process.stdin.isTTY)
    throw usageFailure(
      options.hidden
        ? `${question.toLowerCase()} is missing: pass it on standard input with --password-stdin, or run this in a terminal`
        : `${question.toLowerCase()} is missing: pass it as an option, or run this in a terminal`,
    );
  process.stderr.write(`${question}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: options.hidden ? silent : process.stderr,
    terminal: true,
  });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    if (options.hidden) process.stderr.write('\n');
  }
}
