/** Readers for pnpm-lock.yaml (5 to 9) and bun.lock. */
import { parseJsonWithComments, parseYaml } from '../../kit/packages/config-files';
import { asRecord, isRecord } from '../../domain/json-value';
import {
  asArray,
  asText,
  createPackageList,
  createResolved,
  type Elsewhere,
  type LockfileReading,
  type LockGraph,
  type LockNode,
  originOf,
} from './package-facts';

const PRODUCTION = ['dependencies', 'optionalDependencies'] as const;

/**
 * Reads pnpm-lock.yaml. pnpm writes what it needs itself as a first document and the project as the last; the result is
 * the union of all.
 */
export function readPnpmLock(path: string, text: string): LockfileReading {
  const documents = parseYaml(text)?.map(asRecord) ?? [];
  const isLock = ({ lockfileVersion, packages }: Record<string, unknown>) =>
    lockfileVersion !== undefined && (packages === undefined || packages === null || isRecord(packages));
  if (documents.length === 0 || !documents.every(isLock)) return 'unreadable';
  const list = createPackageList();
  const nodes = new Map<string, LockNode>();
  for (const { packages, snapshots } of documents)
    notePackages(asRecord(packages), asRecord(snapshots), list, nodes);
  const importersOf = ({ importers }: Record<string, unknown>) =>
    importers === undefined ? undefined : Object.values(asRecord(importers)).map(asRecord);
  const resolved = createResolved();
  for (const document of documents)
    for (const importer of [document, ...(importersOf(document) ?? [])])
      noteImporter(importer, resolved, nodes);
  const graph: LockGraph = {
    nodes,
    find: (one) => [one, `/${one}`].find((key) => nodes.has(key)),
    roots: documents.flatMap((document) => (importersOf(document) ?? [document]).flatMap(needsOf)),
  };
  const { packages, unreadable } = list;
  return { path, kind: 'pnpm', ecosystem: 'npm', packages, resolved: resolved.versions, unreadable, graph };
}

function notePackages(
  listed: Record<string, unknown>,
  snapshots: Record<string, unknown>,
  list: ReturnType<typeof createPackageList>,
  nodes: Map<string, LockNode>,
): void {
  for (const [key, given] of Object.entries(listed)) {
    const entry = asRecord(given);
    const parsed = pnpmKey(key);
    const name = asText(entry.name) ?? parsed?.name;
    const version = asText(entry.version) ?? parsed?.version ?? '';
    const origin = pnpmOrigin(key, asRecord(entry.resolution));
    const hasInstallScript = entry.requiresBuild === true;
    const source = asText(asRecord(entry.resolution).tarball);
    if (
      list.add({
        ecosystem: 'npm',
        name,
        version,
        isDev: entry.dev === true,
        hasInstallScript,
        source,
        origin,
      })
    )
      nodes.set(key, { name: name ?? '', version, needs: needsOf(entry) });
  }
  for (const [key, given] of Object.entries(snapshots)) {
    const peers = key.indexOf('(');
    const base = nodes.get(peers < 0 ? key : key.slice(0, peers));
    if (base) nodes.set(key, { ...base, needs: needsOf(asRecord(given)) });
  }
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
  resolved: ReturnType<typeof createResolved>,
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
      resolved.note(name, node?.version ?? key?.version ?? written.replace(/[_(][^]*$/, ''));
    }
  }
}

/** Reads bun.lock: JSON with trailing commas; `packages` maps a place to `[name@version, registry, {needs}, hash]`. */
export function readBunLock(path: string, text: string): LockfileReading {
  const document = asRecord(parseJsonWithComments(text));
  if (
    document.lockfileVersion === undefined ||
    (document.packages !== undefined && !isRecord(document.packages))
  )
    return 'unreadable';
  const list = createPackageList();
  const nodes = new Map<string, LockNode>();
  const resolved = createResolved();
  for (const [place, given] of Object.entries(asRecord(document.packages))) {
    const [id, registry, third] = asArray(given);
    const match = /^(@?[^@]+)@(.*)$/.exec(asText(id) ?? '');
    const [, name, written = ''] = match ?? [];
    const origin = written.includes('#') ? 'repository' : originOf(written);
    const version = origin === undefined ? written : '';
    const details = [registry, third].map(asRecord).find((one) => Object.keys(one).length > 0) ?? {};
    nodes.set(place, {
      name: name ?? '',
      version,
      needs: Object.keys({ ...asRecord(details.dependencies), ...asRecord(details.optionalDependencies) }),
    });
    if (/^(?:workspace|link|root):/.test(written)) continue;
    const source = asText(registry);
    const isAdded = list.add({
      ecosystem: 'npm',
      name,
      version,
      isDev: false,
      source: source === '' ? undefined : source,
      origin,
    });
    if (isAdded && /^(?:@[^/]+\/)?[^/]+$/.test(place)) resolved.note(place, version);
  }
  const roots = Object.values(asRecord(document.workspaces)).flatMap((workspace) =>
    PRODUCTION.flatMap((group) => Object.keys(asRecord(asRecord(workspace)[group]))),
  );
  const { packages, unreadable } = list;
  const graph = { nodes, find: findPlace(nodes), roots };
  return { path, kind: 'bun', ecosystem: 'npm', packages, resolved: resolved.versions, unreadable, graph };
}

/** Looks a dependency up like Node: beside the package that needs it, then in each folder above. */
function findPlace(nodes: ReadonlyMap<string, LockNode>): LockGraph['find'] {
  const inside = new Map<string, Map<string, string>>();
  for (const place of nodes.keys()) {
    const parent = parentOf(place);
    const name = parent === '' ? place : place.slice(parent.length + 1);
    const known = inside.get(parent) ?? new Map<string, string>();
    inside.set(parent, known.set(name, place));
  }
  // A package asks for all that it needs in one go, so the folders above the last one are kept.
  let last: { from: string; folders: ReadonlyMap<string, string>[] } = { from: '', folders: [] };
  return (name, from = '') => {
    if (last.from !== from || from === '') last = { from, folders: foldersAbove(inside, from) };
    return last.folders.find((folder) => folder.has(name))?.get(name);
  };
}

/** Folders above a package that are looked at. Real ones are at most a dozen. */
const MOST_FOLDERS = 64;

function foldersAbove(
  inside: ReadonlyMap<string, Map<string, string>>,
  from: string,
): ReadonlyMap<string, string>[] {
  const folders: ReadonlyMap<string, string>[] = [];
  let place = from;
  for (let count = 0; count < MOST_FOLDERS && place !== ''; count += 1, place = parentOf(place)) {
    const folder = inside.get(place);
    if (folder) folders.push(folder);
  }
  const top = inside.get('');
  return top ? [...folders, top] : folders;
}

/** `a/@scope/b` → `a`, `@scope/b` → the root. */
function parentOf(place: string): string {
  const slash = place.lastIndexOf('/');
  const before = place.lastIndexOf('/', slash - 1);
  const isScoped = slash > 0 && place.charAt(before + 1) === '@';
  return place.slice(0, Math.max(0, isScoped ? before : slash));
}
