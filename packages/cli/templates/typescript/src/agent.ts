/** What the agent does. `manifest.json` describes input and output. */
export interface Input {
  text: string;
}

export interface Output {
  words: number;
}

/** An input that does not match the input schema. The server answers it with status 422. */
export class InvalidInput extends Error {}

export function answer(input: unknown): Output {
  const { text } = (input ?? {}) as Partial<Input>;
  if (typeof text !== 'string') throw new InvalidInput('text must be a string');
  return { words: text.split(/\s+/).filter(Boolean).length };
}
