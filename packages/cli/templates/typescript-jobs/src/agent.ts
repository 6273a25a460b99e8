import { setTimeout as sleep } from 'node:timers/promises';

/** What the agent does. `manifest.json` describes input and output. */
export interface Input {
  text: string;
}

export interface Output {
  words: number;
}

/** An input that does not match the input schema. The server answers it with status 422. */
export class InvalidInput extends Error {}

/** Shows the buyer how much of the work is done, from 0 to 1. Throws when the buyer has cancelled: the work ends there. */
export type Report = (progress: number, message: string) => Promise<void>;

const LINE_MS = 200;

export function readInput(given: unknown): Input {
  const { text } = (given ?? {}) as Partial<Input>;
  if (typeof text !== 'string') throw new InvalidInput('text must be a string');
  return { text };
}

/** Counts the words of a text. A pause before each line stands for slow work. */
export async function work({ text }: Input, report: Report): Promise<Output> {
  const lines = text.split('\n');
  let words = 0;
  for (const [index, line] of lines.entries()) {
    await sleep(LINE_MS);
    words += line.split(/\s+/).filter(Boolean).length;
    await report((index + 1) / lines.length, `Read ${index + 1} of ${lines.length} lines`);
  }
  return { words };
}
