/** Reader for requirements files, which are both manifest and lockfile, with the files that they include. */
import { readOptions } from '../../kit/packages/option-words';
import { exactVersion, normalName } from '../../kit/packages/package-versions';
import { hasConflictMarks } from '../../kit/packages/config-files';
import {
  baseOf,
  createPackageList,
  type Dependency,
  directoryOf,
  isDevelopmentName,
  type LockfileReading,
  type PackageManifest,
  resolvedOf,
} from './package-facts';

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/;

/** An address, which names its package after `#egg=` at best. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const EGG = /#(?:[^#]*&)?egg=([A-Za-z0-9][A-Za-z0-9._-]*)/;

/**
 * Parses one PEP 508 requirement, or an address with the name of its package; returns undefined when it names no
 * package.
 */
export function readRequirement(line: string, isDev: boolean): Dependency | undefined {
  const text = line.trim();
  if (ADDRESS.test(text)) {
    const name = EGG.exec(text)?.[1];
    return name === undefined ? undefined : { name: normalName('PyPI', name), range: text, isDev };
  }
  const match = NAME.exec(text.replace(/#egg=[^\s;]*/, ''));
  if (!match?.[1]) return undefined;
  const range = (match[2] ?? '')
    .replace(/;.*$/, '')
    .replace(/\s--?[A-Za-z].*$/, '')
    .replace(/^\((.*)\)$/, '$1')
    .trim();
  if (/^[\\/:]/.test(range)) return undefined;
  return { name: normalName('PyPI', match[1]), range, isDev };
}

interface RequirementsFile {
  path: string;
  dependencies: Dependency[];
  /** Paths of files included by `-r`, and of constraints by `-c`. */
  includes: string[];
  constraints: string[];
  indexes: { url: string; line: number; isExtra: boolean }[];
  /** False for a file with lines that pip refuses, such as the marks of an unfinished merge. */
  isReadable: boolean;
  /** Number of requirements above the limit of the bundle. */
  tooMany: number;
}

const FILES =
  /(?:^|\/)(?:requirements[^/]*|[^/]*requirements)\.(?:txt|in)$|(?:^|\/)(?:requirements|reqs)\/[^/]+\.(?:txt|in)$/i;
const MAIN =
  /(?:^|\/)(?:requirements\.(?:txt|in)|requirements\/(?:base|prod|production|main|common|requirements|app|deploy)\.(?:txt|in))$/i;
/** What requirements files say, each with the dependencies of the files that it includes. */
export interface RequirementsReading {
  manifest: PackageManifest;
  lock: LockfileReading;
  indexes: RequirementsFile['indexes'];
  tooMany: number;
}

/** Reads all requirements files of a bundle, up to `most` requirements in all; `texts` are its files by path. */
export function readAllRequirements(texts: ReadonlyMap<string, string>, most: number): RequirementsReading[] {
  let left = most;
  const files = new Map<string, RequirementsFile>();
  const queue = [...texts.keys()].filter((path) => FILES.test(path));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const text = texts.get(path);
    if (files.has(path) || text === undefined) continue;
    const file = readFile(path, text, left);
    left -= file.dependencies.length;
    files.set(path, file);
    for (const one of [...file.includes, ...file.constraints]) queue.push(one);
  }
  const constraints = new Set([...files.values()].flatMap((file) => file.constraints));
  const own = [...files.values()].filter(({ path }) => !constraints.has(path));
  const production = productionOf(own, files);
  const included = new Set(own.flatMap(({ includes }) => includes));
  const rank = ({ path }: RequirementsFile) => Number(!production.has(path)) * 2 + Number(included.has(path));
  const covered = new Set<string>();
  const pinsOf = createPins(files);
  // An included file is read once, with the first file that includes it, those of production first.
  return [...own]
    .sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))
    .flatMap((file) => (covered.has(file.path) ? [] : [readingOf(file, files, production, covered, pinsOf)]))
    .sort((a, b) => (a.manifest.path < b.manifest.path ? -1 : 1));
}

/**
 * Files that production installs: the main file and what it includes; without a main file all that are not named for
 * development.
 */
function productionOf(
  own: readonly RequirementsFile[],
  files: ReadonlyMap<string, RequirementsFile>,
): Set<string> {
  const mains = own.filter(({ path }) => MAIN.test(path));
  const isDevelopment = (path: string) => isDevelopmentName(baseOf(path));
  const others = own.filter(
    ({ path, includes }) => !isDevelopment(path) && !includes.some((one) => MAIN.test(one)),
  );
  const found = new Set<string>();
  const queue = [...mains, ...(mains.length > 0 ? others : others.length > 0 ? others : own)];
  for (let file = queue.pop(); file; file = queue.pop()) {
    if (found.has(file.path)) continue;
    found.add(file.path);
    for (const path of file.includes) {
      const next = files.get(path);
      if (next) queue.push(next);
    }
  }
  return found;
}

function readingOf(
  file: RequirementsFile,
  files: ReadonlyMap<string, RequirementsFile>,
  production: ReadonlySet<string>,
  covered: Set<string>,
  pinsOf: PinsOf,
): RequirementsReading {
  const isDev = !production.has(file.path);
  const all = withIncludes(file, files, covered);
  const dependencies = all.flatMap((one) =>
    one.dependencies.map((given) => ({ ...given, isDev: isDev && !production.has(one.path) })),
  );
  const isReadable = all.every((one) => one.isReadable);
  return {
    ...pinnedReading(file.path, dependencies, pinsOf(all), isReadable),
    indexes: all.flatMap(({ indexes }) => indexes),
    tooMany: all.reduce((sum, one) => sum + one.tooMany, 0),
  };
}

/** A list of requirements as a manifest, and as the lockfile that it is when it pins versions. */
export function pinnedReading(
  path: string,
  dependencies: Dependency[],
  pinOf: (name: string) => string | undefined = () => undefined,
  isReadable = true,
): Pick<RequirementsReading, 'manifest' | 'lock'> {
  const manifest: PackageManifest = {
    path,
    ecosystem: 'PyPI',
    dependencies,
    licence: null,
    installScripts: [],
  };
  if (!isReadable) return { manifest, lock: 'unreadable' };
  const list = createPackageList();
  for (const { name, range, isDev } of dependencies) {
    const version = exactVersion('PyPI', range) ?? pinOf(name);
    if (version !== undefined) list.add({ ecosystem: 'PyPI', name, version, isDev });
  }
  const { packages, unreadable } = list;
  const resolved = resolvedOf(packages);
  return {
    manifest,
    lock: { path, kind: 'requirements', ecosystem: 'PyPI', packages, resolved, unreadable },
  };
}

/** The file and what it includes, without files that were read before. Each is read once, so a circle ends. */
function withIncludes(
  file: RequirementsFile,
  files: ReadonlyMap<string, RequirementsFile>,
  covered: Set<string>,
): RequirementsFile[] {
  const found: RequirementsFile[] = [];
  const queue = [file];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (covered.has(next.path)) continue;
    covered.add(next.path);
    found.push(next);
    for (const path of next.includes) {
      const one = files.get(path);
      if (one) queue.push(one);
    }
  }
  return found;
}

type PinsOf = (all: readonly RequirementsFile[]) => (name: string) => string | undefined;

/** Constraint files of one reading that are looked at. */
const MOST_CONSTRAINTS = 50;

/** Versions that constraints pin. A constraint installs nothing by itself. */
function createPins(files: ReadonlyMap<string, RequirementsFile>): PinsOf {
  const read = new Map<string, Map<string, string>>();
  const pinsIn = (path: string): Map<string, string> => {
    const known = read.get(path) ?? new Map<string, string>();
    if (read.has(path)) return known;
    read.set(path, known);
    for (const { name, range } of files.get(path)?.dependencies ?? []) {
      const version = exactVersion('PyPI', range);
      if (version !== null) known.set(name, version);
    }
    return known;
  };
  return (all) => {
    const paths = [...new Set(all.flatMap(({ constraints }) => constraints))].slice(0, MOST_CONSTRAINTS);
    const pins = paths.map(pinsIn).reverse();
    return (name) => pins.find((one) => one.has(name))?.get(name);
  };
}

const LONGEST_LINE = 10_000;

function readFile(path: string, text: string, most: number): RequirementsFile {
  const file: RequirementsFile = {
    path,
    dependencies: [],
    includes: [],
    constraints: [],
    indexes: [],
    isReadable: !hasConflictMarks(text),
    tooMany: 0,
  };
  for (const { line, at } of logicalLines(text)) {
    if (line.length > LONGEST_LINE) file.isReadable = false;
    else if (/\$\{[A-Z_]+\}/.test(line)) continue;
    else if (line.startsWith('-')) readOptionLine(file, line, at);
    else if (/^[<>=!~|)\]}{]/.test(line)) file.isReadable = false;
    else if (file.dependencies.length >= most) file.tooMany += 1;
    else {
      const dependency = readRequirement(line, false);
      if (dependency) file.dependencies.push(dependency);
    }
  }
  return file;
}

/** Lines without comments and hashes; a backslash at the end of a line joins it with the next. */
function* logicalLines(text: string): Generator<{ line: string; at: number }> {
  let parts: string[] = [];
  let start = 1;
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    if (parts.length === 0) start = index + 1;
    const kept = line.trimEnd();
    const isContinued = kept.endsWith('\\') && index + 1 < lines.length;
    parts.push(isContinued ? kept.slice(0, -1) : line);
    if (isContinued) continue;
    const whole = parts.join(' ');
    parts = [];
    const clean = whole
      .replace(/(?:^|\s)#.*$/, '')
      .replace(/\s--(?:hash|config-settings|global-option|install-option)\b.*$/, '')
      .trim();
    if (clean !== '') yield { line: clean, at: start };
  }
}

const OPTIONS: Record<string, 'includes' | 'constraints' | 'index' | 'extra'> = {
  '-r': 'includes',
  '--requirement': 'includes',
  '-c': 'constraints',
  '--constraint': 'constraints',
  '-i': 'index',
  '--index-url': 'index',
  '--pypi-url': 'index',
  '--extra-index-url': 'extra',
  '-f': 'extra',
  '--find-links': 'extra',
};
const OPTION_NAMES = Object.keys(OPTIONS);
function readOptionLine(file: RequirementsFile, line: string, at: number): void {
  for (const { name, value } of readOptions(line, OPTION_NAMES)) {
    const kind = OPTIONS[name];
    if (kind === 'index' || kind === 'extra')
      file.indexes.push({ url: value, line: at, isExtra: kind === 'extra' });
    else if (kind) file[kind].push(pathFrom(file.path, value));
  }
}

function pathFrom(path: string, given: string): string {
  const parts = directoryOf(path)
    .split('/')
    .filter((part) => part !== '');
  for (const part of given.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
