/** Reader for requirements files, which are both manifest and lockfile, with the files that they include. */
import { exactVersion, normalName } from '../../kit/packages/package-versions';
import {
  baseOf,
  type Dependency,
  directoryOf,
  isPackage,
  type LockedPackage,
  type Lockfile,
  type PackageManifest,
  resolvedOf,
} from './package-facts';

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/;

/** Parses one PEP 508 requirement; returns undefined when it names no package. */
export function readRequirement(line: string, isDev: boolean): Dependency | undefined {
  const match = NAME.exec(line.trim());
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
}

const FILES =
  /(?:^|\/)(?:requirements[^/]*|[^/]*requirements)\.(?:txt|in)$|(?:^|\/)(?:requirements|reqs)\/[^/]+\.(?:txt|in)$/i;
const MAIN =
  /(?:^|\/)(?:requirements\.(?:txt|in)|requirements\/(?:base|prod|production|main|common|requirements|app|deploy)\.(?:txt|in))$/i;
const DEVELOPMENT =
  /(?:^|[/._-])(?:dev|develop|development|tests?|testing|lint|docs?|ci|typing|types|style|format)(?=[._-])/i;

/** What requirements files say, each with the dependencies of the files that it includes. */
export interface RequirementsReading {
  manifest: PackageManifest;
  lock: Lockfile;
  indexes: RequirementsFile['indexes'];
}

/** Reads all requirements files of a bundle; `texts` are its files by path. */
export function readAllRequirements(texts: ReadonlyMap<string, string>): RequirementsReading[] {
  const files = new Map<string, RequirementsFile>();
  const queue = [...texts.keys()].filter((path) => FILES.test(path));
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const text = texts.get(path);
    if (files.has(path) || text === undefined) continue;
    const file = readFile(path, text);
    files.set(path, file);
    queue.push(...file.includes, ...file.constraints);
  }
  const constraints = new Set([...files.values()].flatMap((file) => file.constraints));
  const own = [...files.values()].filter(({ path }) => !constraints.has(path));
  const production = productionOf(own, files);
  const included = new Set(own.flatMap(({ includes }) => includes));
  // An included file is read with the files that include it.
  return own
    .filter(({ path }) => !included.has(path) || production.has(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => readingOf(file, files, production));
}

/** Files that production installs: the main file and what it includes; without a main file all that are not named for development. */
function productionOf(
  own: readonly RequirementsFile[],
  files: ReadonlyMap<string, RequirementsFile>,
): Set<string> {
  const mains = own.filter(({ path }) => MAIN.test(path));
  const isDevelopment = (path: string) => DEVELOPMENT.test(`/${baseOf(path)}`);
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
): RequirementsReading {
  const isDev = !production.has(file.path);
  const all = withIncludes(file, files);
  const dependencies = all.flatMap((one) => one.dependencies.map((given) => ({ ...given, isDev: isDev && !production.has(one.path) }))); // prettier-ignore
  const pins = constraintsOf(all, files);
  const packages = dependencies.flatMap(({ name, range, isDev: dev }): LockedPackage[] => {
    const version = exactVersion('PyPI', range) ?? pins.get(name) ?? null;
    return version !== null && isPackage(name, version)
      ? [{ ecosystem: 'PyPI', name, version, isDev: dev }]
      : [];
  });
  const { path } = file;
  return {
    manifest: { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] },
    lock: { path, kind: 'requirements', ecosystem: 'PyPI', packages, resolved: resolvedOf(packages) },
    indexes: file.indexes,
  };
}

function withIncludes(
  file: RequirementsFile,
  files: ReadonlyMap<string, RequirementsFile>,
): RequirementsFile[] {
  const found = new Map<string, RequirementsFile>();
  const queue = [file];
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (found.has(next.path)) continue;
    found.set(next.path, next);
    queue.push(...next.includes.flatMap((path) => files.get(path) ?? []));
  }
  return [...found.values()];
}

/** Versions that constraints pin. A constraint installs nothing by itself. */
function constraintsOf(
  all: readonly RequirementsFile[],
  files: ReadonlyMap<string, RequirementsFile>,
): Map<string, string> {
  const pins = new Map<string, string>();
  for (const path of all.flatMap((file) => file.constraints))
    for (const { name, range } of files.get(path)?.dependencies ?? []) {
      const version = exactVersion('PyPI', range);
      if (version !== null) pins.set(name, version);
    }
  return pins;
}

const OPTION =
  /^(?:-r|--requirement|-c|--constraint|-i|--index-url|--extra-index-url|-f|--find-links)(?=[\s=])[\s=]*(\S+)/;

function readFile(path: string, text: string): RequirementsFile {
  const file: RequirementsFile = { path, dependencies: [], includes: [], constraints: [], indexes: [] };
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const start = at;
    let line = lines[at] ?? '';
    while (/\\\s*$/.test(line) && at + 1 < lines.length)
      line = `${line.replace(/\\\s*$/, ' ')}${lines[(at += 1)] ?? ''}`;
    line = line
      .replace(/(?:^|\s)#.*$/, '')
      .replace(/\s--(?:hash|config-settings|global-option|install-option)\b.*$/, '')
      .trim();
    if (line === '' || /\$\{[A-Z_]+\}/.test(line)) continue;
    if (line.startsWith('-')) readOption(file, line, start + 1);
    else file.dependencies.push(...[readRequirement(line, false) ?? []].flat());
  }
  return file;
}

function readOption(file: RequirementsFile, line: string, at: number): void {
  const value = OPTION.exec(line)?.[1];
  if (value === undefined) return;
  if (/^(?:-r|--req)/.test(line)) file.includes.push(pathFrom(file.path, value));
  else if (/^(?:-c|--con)/.test(line)) file.constraints.push(pathFrom(file.path, value));
  else file.indexes.push({ url: value, line: at, isExtra: !/^(?:-i\b|--index)/.test(line) });
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
