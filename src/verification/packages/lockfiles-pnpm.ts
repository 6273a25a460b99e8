/** Readers for pnpm-lock.yaml (5 to 9) and bun.lock. */
import { parseJson, parseYaml } from '../../kit/packages/config-files';
import { asRecord } from '../../domain/json-value';
import {
  asArray,
  asText,
  type Elsewhere,
  isListed,
  isPackage,
  type LockedPackage,
  type LockfileReading,
  type LockGraph,
  type LockNode,
  originOf,
} from './package-facts';

const PRODUCTION = ['dependencies', 'optionalDependencies'] as const;

export function readPnpmLock(path: string, text: string): LockfileReading {
  const document = parseYaml(text);
  if (document === undefined) return 'unreadable';
  const { lockfileVersion, packages: listed, snapshots, importers, ...root } = asRecord(document);
  if (lockfileVersion === undefined) return 'unreadable';
  const packages: LockedPackage[] = [];
  const nodes = new Map<string, LockNode>();
  for (const [key, given] of Object.entries(asRecord(listed))) {
    const entry = asRecord(given);
    const parsed = pnpmKey(key);
    const name = asText(entry.name) ?? parsed?.name;
    const version = asText(entry.version) ?? parsed?.version ?? '';
    const origin = pnpmOrigin(key, asRecord(entry.resolution));
    if (!isListed(name, version, origin)) continue;
    const hasInstallScript = entry.requiresBuild === true;
    const source = asText(asRecord(entry.resolution).tarball);
    packages.push({ ecosystem: 'npm', name, version, isDev: entry.dev === true, hasInstallScript, source, origin }); // prettier-ignore
    nodes.set(key, { name, version, needs: needsOf(entry) });
  }
  for (const [key, given] of Object.entries(asRecord(snapshots))) {
    const base = nodes.get(key.replace(/\(.*$/, ''));
    if (base) nodes.set(key, { ...base, needs: needsOf(asRecord(given)) });
  }
  const projects = importers === undefined ? [root] : Object.values(asRecord(importers)).map(asRecord);
  const resolved = new Map<string, string[]>();
  for (const importer of [root, ...Object.values(asRecord(importers)).map(asRecord)])
    noteImporter(importer, resolved, nodes);
  const graph: LockGraph = {
    nodes,
    find: (one) => [one, `/${one}`].find((key) => nodes.has(key)),
    roots: projects.flatMap(needsOf),
  };
  return { path, kind: 'pnpm', ecosystem: 'npm', packages, resolved, graph };
}

/** The keys of the packages that an importer or a package needs in production. */
function needsOf(entry: Record<string, unknown>): string[] {
  return PRODUCTION.flatMap((group) =>
    Object.entries(asRecord(entry[group])).flatMap(([name, given]) => {
      const written = asText(given) ?? asText(asRecord(given).version);
      return written === undefined || /^(?:link|file):/.test(written) ? [] : [keyOf(name, written)];
    }),
  );
}

/** The key of a version as a dependency writes it: `1.2.0(peer@2)`, `/real/1.0.0`, `real@1.0.0`, a URL. */
function keyOf(name: string, written: string): string {
  if (written.startsWith('/')) return written;
  if (/^\d/.test(written))
    return written.includes('_') && !written.includes('(') ? `/${name}/${written}` : `${name}@${written}`;
  return /^@?[^@/:]+(?:\/[^@/:]+)?@/.test(written)
    ? written
    : written.includes('://')
      ? `${name}@${written}`
      : written;
}

function pnpmOrigin(key: string, resolution: Record<string, unknown>): Elsewhere | undefined {
  if (/^(?:@?[^@]+@)?(?:file|link):/.test(key)) return 'folder';
  const { type, tarball } = resolution;
  return type === 'git' || /^https?:\/\/codeload\.github\.com\//.test(asText(tarball) ?? '')
    ? 'repository'
    : undefined;
}

/** Parses a package key: `name@1.0.0(peer@2)` since 9, `/name@1.0.0` in 6, `/name/1.0.0_peer@2` in 5. */
function pnpmKey(key: string): { name: string; version: string } | undefined {
  if (key.startsWith('file:')) return undefined;
  const folder = /^(@?[^@]+)@(?:file|link):/.exec(key);
  if (folder?.[1] !== undefined) return { name: folder[1], version: '' };
  const match =
    /^\/?(@[^/@]+\/[^/@]+|[^/@]+)@(\d[^(]*|https?:[^(]+)/.exec(key) ??
    /^[^/]*\/(@[^/]+\/[^/]+|[^/]+)\/(\d[^_(/]*)/.exec(key);
  return match?.[1] !== undefined && match[2] !== undefined
    ? { name: match[1], version: match[2] }
    : undefined;
}

function noteImporter(
  importer: Record<string, unknown>,
  resolved: Map<string, string[]>,
  nodes: ReadonlyMap<string, LockNode>,
): void {
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, given] of Object.entries(asRecord(importer[group]))) {
      const written = asText(given) ?? asText(asRecord(given).version);
      if (written === undefined) continue;
      const keys = [written, `${name}@${written}`, `/${name}@${written}`, `/${name}/${written}`];
      const node = keys.map((key) => nodes.get(key)).find((one) => one !== undefined);
      // A version with peers, such as `1.2.0(peer@2.0.0)`, is no key.
      const key = /^\d/.test(written) ? undefined : pnpmKey(written);
      const version = node?.version ?? key?.version ?? written.replace(/[_(].*$/, '');
      if (!isPackage(name, version)) continue;
      resolved.set(name, [...(resolved.get(name) ?? []), version]);
    }
  }
}

/** A comment, or a comma before a closing bracket, outside of strings. */
const JSON_WITH_COMMENTS = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

/** Reads bun.lock: JSON with trailing commas; `packages` maps a place to `[name@version, registry, {needs}, hash]`. */
export function readBunLock(path: string, text: string): LockfileReading {
  const document = asRecord(
    parseJson(text) ?? parseJson(text.replace(JSON_WITH_COMMENTS, (_, string?: string) => string ?? '')),
  );
  if (document.lockfileVersion === undefined) return 'unreadable';
  const packages: LockedPackage[] = [];
  const nodes = new Map<string, LockNode>();
  const resolved = new Map<string, string[]>();
  for (const [place, given] of Object.entries(asRecord(document.packages))) {
    const [id, registry, third] = asArray(given);
    const match = /^(@?[^@]+)@(.*)$/.exec(asText(id) ?? '');
    const [, name, written = ''] = match ?? [];
    if (name === undefined) continue;
    const origin = written.includes('#') ? 'repository' : originOf(written);
    const version = origin === undefined ? written : '';
    const details = [registry, third].map(asRecord).find((one) => Object.keys(one).length > 0) ?? {};
    nodes.set(place, { name, version, needs: Object.keys({ ...asRecord(details.dependencies), ...asRecord(details.optionalDependencies) }) }); // prettier-ignore
    if (/^(?:workspace|link|root):/.test(written) || !isListed(name, version, origin)) continue;
    const source = asText(registry);
    packages.push({
      ecosystem: 'npm',
      name,
      version,
      isDev: false,
      source: source === '' ? undefined : source,
      origin,
    });
    if (/^(?:@[^/]+\/)?[^/]+$/.test(place)) resolved.set(place, [version]);
  }
  const roots = Object.values(asRecord(document.workspaces)).flatMap((workspace) =>
    PRODUCTION.flatMap((group) => Object.keys(asRecord(asRecord(workspace)[group]))),
  );
  return {
    path,
    kind: 'bun',
    ecosystem: 'npm',
    packages,
    resolved,
    graph: { nodes, find: findPlace(nodes), roots },
  };
}

/** Looks a dependency up like Node: beside the package that needs it, then in each folder above. */
function findPlace(nodes: ReadonlyMap<string, LockNode>): LockGraph['find'] {
  return (name, from) => {
    for (let place = from ?? ''; place !== ''; place = parentOf(place))
      if (nodes.has(`${place}/${name}`)) return `${place}/${name}`;
    return nodes.has(name) ? name : undefined;
  };
}

function parentOf(place: string): string {
  return place.replace(/(?:^|\/)(?:@[^/]+\/)?[^/]+$/, '');
}
