import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliFailure, EXIT, usageFailure } from '../failure';

/** Reads standard input to its end as text. */
export async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/** The code of the failure of a prompt that Ctrl-C has ended. */
export const INTERRUPTED = 'interrupted';

/**
 * Prompts the user at the terminal. `hint` follows the question. With `hidden`, the input is not echoed; `signal` ends
 * the prompt. Throws `CliFailure` (exit 2) when standard input is not a terminal. Ctrl-C is the signal SIGINT, as
 * everywhere else; a command that handles it gets a failure with the code `interrupted`.
 */
export async function ask(
  question: string,
  options: { hidden?: boolean; hint?: string; signal?: AbortSignal } = {},
): Promise<string> {
  if (!process.stdin.isTTY)
    throw usageFailure(
      options.hidden
        ? `the ${question.toLowerCase()} is missing: pass it on standard input with --password-stdin, or run this in a terminal`
        : `the ${question.toLowerCase()} is missing: pass it as an option, or run this in a terminal`,
    );
  const { hint = '' } = options;
  if (options.hidden) process.stderr.write(`${question}${hint}: `);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: options.hidden ? silent : process.stderr,
    terminal: true,
  });
  const failure = new CliFailure('interrupted', EXIT.refused, { code: INTERRUPTED });
  let isInterrupted = false;
  const interrupted = new Promise<never>((_resolve, reject) => {
    terminal.once('SIGINT', () => {
      isInterrupted = true;
      reject(failure);
      process.kill(process.pid, 'SIGINT');
    });
  });
  // The prompt is shown by readline, which clears the line first.
  const prompt = options.hidden ? '' : `${question}${hint}: `;
  const answer = terminal.question(prompt, options.signal ? { signal: options.signal } : {});
  try {
    return await Promise.race([interrupted, answer]);
  } catch (error) {
    // Some versions of Node reject the answer, too.
    throw isInterrupted ? failure : error;
  } finally {
    terminal.close();
    if (options.hidden) process.stderr.write('\n');
  }
}
