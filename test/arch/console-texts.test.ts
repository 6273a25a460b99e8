/**
 * The long run walks through the console in a browser (`test/long/console-*.test.ts`). A label or a sentence that one
 * of these walks looks for, and that the console no longer has, fails here: `npm test` has no browser on those pages.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const WALKS = 'test/long';
const SOURCES = ['console/src', 'src/domain', 'src/contract', 'src/services', 'src/api'];

/** Texts with a word that the walk itself brought: the names that it gives, answers of its agents, a field's name. */
const OF_THE_WALK = /\b(?:Acme|Ada|Echo|Good morning|Cursor code|input schema|answer was made up)\b/;

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(ROOT, folder, name));
}

/** The words of a source in one line. Pages show codes as words, and begin problems with a capital. */
const words = (source: string) =>
  source
    .replace(/\{' '\}|_/g, ' ')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** The parts of a text that are written in a source: what stands between numbers, amounts and placeholders. */
function partsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/us\$|[^\p{L}\s'’,.?-]+[\p{Sc}\d.,]*/u)
    .map((part) => part.trim().replace(/^[.,]\s*|[.,]$/g, ''))
    .filter((part) => part.split(' ').length > 1);
}

it('has each text in the console that the walks of the long run look for', () => {
  const source = SOURCES.flatMap(filesBelow)
    .map((file) => words(readFileSync(file, 'utf8')))
    .join('\n');
  const walks = readdirSync(join(ROOT, WALKS)).filter((name) => /^console-.*\.test\.ts$/.test(name));
  const looked = walks.flatMap((name) => {
    const walk = readFileSync(join(ROOT, WALKS, name), 'utf8');
    return [...walk.matchAll(/(?:getBy(?:Text|Label|Placeholder)\(|\bname: |hasText: )'([^'\n]+)'/g)].map(
      ([, text = '']) => text,
    );
  });
  expect(looked.length).toBeGreaterThan(100);
  const missing = looked.filter(
    (text) => !OF_THE_WALK.test(text) && !partsOf(text).every((part) => source.includes(part)),
  );
  expect([...new Set(missing)]).toEqual([]);
});
