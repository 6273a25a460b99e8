/** Readers for Python: poetry.lock, uv.lock, pdm.lock, Pipfile.lock and pylock.toml. */
import { parseJson, parseToml } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { asRecord } from '../../domain/json-value';
import {
  asArray,
  asText,
  createPackageList,
  isDevelopmentName,
  type LockEntry,
  type LockfileReading,
  resolvedOf,
  type LockGraph,
  type LockNode,
} from './package-facts';

type Kind = 'poetry' | 'uv' | 'pdm' | 'pylock';

/** Reads the lockfiles that are lists of `[[package]]` (in pylock.toml `[[packages]]`) with name and version. */
export function readTomlLock(path: string, text: string, kind: Kind): LockfileReading {
  const document = asRecord(parseToml(text));
  const listed = kind === 'pylock' ? document.packages : document.package;
  if (!Array.isArray(listed))
    return (kind === 'pylock' ? document['lock-version'] : (document.version ?? document.metadata)) ===
      undefined
      ? 'unreadable'
      : listed !== undefined
        ? 'unreadable'
        : { path, kind, ecosystem: 'PyPI', packages: [], resolved: new Map(), unreadable: 0 };
  const entries = listed.map(asRecord);
  const list = createPackageList();
  for (const entry of entries) if (!isOwn(entry) && !isFolder(entry)) list.add(entryOf(entry, kind));
  const { packages, unreadable } = list;
  const graph = kind === 'poetry' || kind === 'uv' ? graphOf(entries, kind) : undefined;
  const resolved = resolvedOf(packages);
  return { path, kind, ecosystem: 'PyPI', packages, resolved, unreadable, ...(graph && { graph }) };
}

function entryOf(entry: Record<string, unknown>, kind: Kind): LockEntry {
  const name = asText(entry.name);
  const source = asRecord(entry.source);
  const locked: LockEntry = {
    ecosystem: 'PyPI',
    name: name && normalName('PyPI', name),
    version: asText(entry.version),
    isDev: isDevelopment(entry, kind),
    source: asText(source.registry) ?? asText(source.url) ?? asText(entry.index),
    origin: isOfRepository(entry, source) ? 'repository' : undefined,
  };
  if (kind === 'pdm' || kind === 'poetry')
    locked.groups = asArray(entry.groups).flatMap((group) => asText(group) ?? []);
  return locked;
}

function isOfRepository(entry: Record<string, unknown>, source: Record<string, unknown>): boolean {
  return [entry.git, entry.vcs, source.git].some((one) => one !== undefined) || source.type === 'git';
}

function isOwn({ source, directory }: Record<string, unknown>): boolean {
  const { virtual, editable, directory: folder } = asRecord(source);
  return virtual !== undefined || editable !== undefined || folder !== undefined || directory !== undefined;
}

/** pdm lists folders of the developer, mostly without a version. */
function isFolder({ version, path, editable }: Record<string, unknown>): boolean {
  return version === undefined && (path !== undefined || editable === true);
}

function isDevelopment(entry: Record<string, unknown>, kind: Kind): boolean {
  if (kind === 'poetry') return entry.category === 'dev' || isOnlyDev(entry.groups);
  if (kind === 'pylock') return /in dependency_groups/.test(asText(entry.marker) ?? '');
  return kind === 'pdm' && Array.isArray(entry.groups) && !entry.groups.includes('default');
}

function isOnlyDev(groups: unknown): boolean {
  return (
    Array.isArray(groups) &&
    groups.length > 0 &&
    groups.every((group) => typeof group === 'string' && isDevelopmentName(group))
  );
}

/**
 * The graph of poetry.lock and uv.lock. uv lists the project itself, so its production dependencies are known; those of
 * poetry are in pyproject.toml.
 */
function graphOf(entries: readonly Record<string, unknown>[], kind: Kind): LockGraph {
  const nodes = new Map<string, LockNode>();
  const first = new Map<string, string>();
  const roots: string[] = [];
  let hasProject = false;
  for (const entry of entries) {
    const name = normalName('PyPI', asText(entry.name) ?? '');
    const version = asText(entry.version) ?? '';
    const needs = needsOf(entry);
    const key = `${name}@${version}`;
    nodes.set(key, { name, version, needs });
    if (!first.has(name)) first.set(name, key);
    if (kind === 'uv' && isOwn(entry)) {
      hasProject = true;
      roots.push(...needs);
    }
  }
  const find = (one: string) => (nodes.has(one) ? one : undefined);
  return { nodes, find, roots: hasProject ? roots : undefined };
}

/** Dependencies, extras included, because an extra that a dependency asks for is installed with it. */
function needsOf(entry: Record<string, unknown>): string[] {
  const tables = [entry.dependencies, ...Object.values(asRecord(entry['optional-dependencies']))];
  return tables.flatMap((table) => {
    if (!Array.isArray(table)) return Object.keys(asRecord(table)).map((name) => normalName('PyPI', name));
    return table.map(asRecord).flatMap(({ name, version }) => {
      const found = asText(name);
      if (found === undefined) return [];
      const given = asText(version);
      return [`${normalName('PyPI', found)}${given === undefined ? '' : `@${given}`}`];
    });
  });
}

/** Reads Pipfile.lock: `default` for production, `develop` for development. */
export function readPipfileLock(path: string, text: string): LockfileReading {
  const { default: production, develop, _meta: meta } = asRecord(parseJson(text));
  if (production === undefined && develop === undefined && meta === undefined) return 'unreadable';
  const known = new Set<string>();
  const list = createPackageList();
  for (const [group, isDev] of [
    [production, false],
    [develop, true],
  ] as const)
    for (const [given, entry] of Object.entries(asRecord(group)).map(
      ([key, value]) => [key, asRecord(value)] as const,
    )) {
      const name = normalName('PyPI', given);
      const version = asText(entry.version)?.replace(/^={2,3}/, '');
      const isElsewhere = ['git', 'path', 'file', 'editable'].some((key) => entry[key] !== undefined);
      if ((version === undefined && isElsewhere) || known.has(`${name} ${version}`)) continue;
      known.add(`${name} ${version}`);
      list.add({ ecosystem: 'PyPI', name, version, isDev });
    }
  const { packages, unreadable } = list;
  return { path, kind: 'pipfile', ecosystem: 'PyPI', packages, resolved: resolvedOf(packages), unreadable };
}
