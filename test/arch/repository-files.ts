/** The files of the repository, for tests that compare their words. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** The folders whose paths documents may name. */
export const FOLDERS = [
  'src',
  'migrations',
  'docs',
  'test',
  'tools',
  'bench',
  'examples',
  'docker',
  'packages',
  'ops',
];

/** Folders that have source of their own, and that documents do not name. */
const FURTHER = ['console'];
const NOT_OURS = /(?:^|\/)(?:node_modules|dist|\.market)(?:\/|$)/;
/** Files of the clients that a build writes. */
const BUILT = /^packages\/(?:client\/src\/api-types\.d\.ts|python\/.*\/(?:types|operations)\.py)$/;
const TEXT = new Set([
  '.ts',
  '.mts',
  '.tsx',
  '.js',
  '.cjs',
  '.mjs',
  '.sql',
  '.md',
  '.yml',
  '.yaml',
  '.py',
  '.css',
]);

const namesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && !NOT_OURS.test(entry.parentPath.slice(ROOT.length))
      ? [posix.join(entry.parentPath.slice(ROOT.length + 1), entry.name)]
      : [],
  );

const namesAtRoot = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
  entry.isFile() ? [entry.name] : [],
);

/** Paths of the files at the root and in `FOLDERS`. */
export const filesOfDocuments = [...namesAtRoot, ...FOLDERS.flatMap(namesIn)];

export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Every text file that people write, with its text. */
export function repositoryFiles(): { file: string; text: string }[] {
  const files = [...filesOfDocuments, ...FURTHER.flatMap(namesIn)];
  return files
    .filter((file) => (TEXT.has(extname(file)) || file.endsWith('Dockerfile')) && !BUILT.test(file))
    .map((file) => ({ file, text: read(file) }));
}

/** Names of the headings of a document, as links spell them. */
export function anchorsOf(text: string): string[] {
  const headings = text.match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-'),
  );
}
