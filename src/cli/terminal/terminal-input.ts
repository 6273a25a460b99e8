import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { usageFailure } from '../failure';

/** Everything on standard input, as text. */
export async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/** Asks at the terminal; `hidden` shows nothing of what is typed. Exit 2 where nobody can answer. */
export async function ask(question: string, options: { hidden?: boolean } = {}): Promise<string> {
  if (!process.stdin.isTTY)
    throw usageFailure(`${question.toLowerCase()} is missing, and there is no terminal`);
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
