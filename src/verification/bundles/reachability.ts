/**
 * Finds the files that the agent can use when it runs. Roots are all files that do not look like tests, documents or
 * third-party code; a file is reached when a reached file names it, by an import or by any text that is its path.
 */
import { asRecord } from '../../domain/json-value';
import { parseJson } from '../../kit/packages/config-files';
import type { SourceFile } from './source-file';

const QUOTED = /["'`]([^"'`\s]{1,200})["'`]/g;
/** Paths without quotes in shell scripts, container files and package scripts. */
const BARE_PATH =
  /(?:^|[\s"'=(])(\.{0,2}\/?(?:[\w@.-]{1,200}\/){1,20}[\w.-]{1,200}|[\w-]{1,200}\.(?:[cm]?js|ts|py|sh))(?=$|[\s"'),;])/gm;
const PYTHON_IMPORT =
  /^[ \t]{0,16}(?:from[ \t]{1,16}(\.{0,200}[\w.]{0,200})[ \t]{1,16}import[ \t]{1,16}\(?([\w, \t*]+)|import[ \t]{1,16}([\w., \t]+))/gm;
/** Files besides source that start or load source. */
const STARTERS =
  /(?:^|\/)(?:package\.json|Dockerfile[^/]{0,200}|Procfile|Makefile|pyproject\.toml|setup\.(?:py|cfg)|[^/]{1,200}\.(?:ya?ml|toml|service))$/i;
const ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.tsx',
  '.jsx',
  '.json',
  '.py',
  '.sh',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.ts',
  '/__init__.py',
  '/__main__.py',
  '/package.json',
];
const LONGEST_READ = 512 * 1024;
/** Scripts of package.json that run when the agent is installed or started. */
const RUN_SCRIPTS = /^(?:pre|post)?(?:start|install|prepare|serve)$/;

/** Returns the paths of tests, documents and third-party files that other files reach. */
export function reachedFiles(files: readonly SourceFile[]): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const candidates = files.filter((file) => file.isTest || file.isForeign);
  const reached = new Set<string>();
  if (candidates.length === 0) return reached;
  const queue = files.filter((file) => !file.isTest && !file.isForeign && isRead(file));
  for (let file = queue.pop(); file; file = queue.pop()) {
    for (const path of namedBy(file, byPath)) {
      const found = byPath.get(path);
      if (!found || reached.has(path) || (!found.isTest && !found.isForeign)) continue;
      reached.add(path);
      if (isRead(found)) queue.push(found);
    }
  }
  return reached;
}

function isRead({ isSource, path, isBinary }: SourceFile): boolean {
  return isBinary !== true && (isSource || STARTERS.test(path));
}

function* namedBy(file: SourceFile, byPath: ReadonlyMap<string, SourceFile>): Generator<string> {
  const text = file.path.endsWith('package.json') ? startsOf(file.text) : file.text.slice(0, LONGEST_READ);
  const folder = file.path.includes('/') ? file.path.slice(0, file.path.lastIndexOf('/')) : '';
  const isPython = file.path.endsWith('.py');
  for (const [, name = ''] of text.matchAll(QUOTED)) yield* resolve(name, folder, byPath);
  if (!/\.(?:[cm]?[jt]sx?|py)$/.test(file.path))
    for (const [, name = ''] of text.matchAll(BARE_PATH)) yield* resolve(name, folder, byPath);
  if (!isPython) return;
  for (const [, from, names = '', plain = ''] of text.matchAll(PYTHON_IMPORT)) {
    const modules =
      from === undefined ? plain.split(',') : names.split(',').flatMap((name) => [from, join(from, name)]);
    for (const module of modules) yield* resolveModule(firstWord(module), folder, byPath);
  }
}

/** `a.b as c` → `a.b`. */
function firstWord(text: string): string {
  return /^\S*/.exec(text.trimStart())?.[0] ?? '';
}

function join(from: string, name: string): string {
  const last = firstWord(name);
  return from.endsWith('.') ? `${from}${last}` : `${from}.${last}`;
}

function* resolve(name: string, folder: string, byPath: ReadonlyMap<string, SourceFile>): Generator<string> {
  const bases = name.startsWith('.') ? [joined(folder, name)] : [joined(folder, name), joined('', name)];
  if (/^[@\w]/.test(name) && !name.includes(':')) bases.push(`node_modules/${name}`);
  for (const base of bases)
    for (const ending of ENDINGS) if (byPath.has(`${base}${ending}`)) yield `${base}${ending}`;
}

function* resolveModule(
  module: string,
  folder: string,
  byPath: ReadonlyMap<string, SourceFile>,
): Generator<string> {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const inner = module.slice(dots).replaceAll('.', '/');
  const up = folder
    .split('/')
    .slice(0, Math.max(0, folder.split('/').length - Math.max(0, dots - 1)))
    .join('/');
  const bases = dots > 0 ? [joined(up, inner)] : [joined(folder, inner), inner, `src/${inner}`];
  for (const base of bases)
    for (const ending of ['.py', '/__init__.py', '/__main__.py'])
      if (byPath.has(`${base}${ending}`)) yield `${base}${ending}`;
}

function joined(folder: string, name: string): string {
  const parts = folder === '' || name.startsWith('/') ? [] : folder.split('/');
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** What package.json loads or runs, as quoted names. */
function startsOf(text: string): string {
  try {
    const { main, module, bin, exports, scripts } = asRecord(parseJson(text));
    const run = Object.entries((scripts ?? {}) as Record<string, unknown>)
      .filter(([name]) => RUN_SCRIPTS.test(name))
      .flatMap(([, command]) => String(command).split(/\s+/));
    return JSON.stringify([main, module, bin, exports, run]);
  } catch {
    return '';
  }
}
