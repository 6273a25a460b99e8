import { readFileSync } from 'node:fs';

/** A real input: measurements of 344 penguins (data/LICENSE.md). */
export function exampleInput() {
  return { csv: readFileSync(new URL('data/penguins.csv', import.meta.url), 'utf8') };
}
