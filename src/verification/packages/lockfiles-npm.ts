/** Readers for the lockfiles of npm (v1 to v3), yarn (1 and later) and pnpm (5 to 9). */
import { parseJson, parseYaml } from '../../kit/packages/config-files';
import { asText, isPackage, type LockedPackage, type LockfileReading, resolvedOf } from './package-facts';
import { asRecord } from '../../domain/json-value';

const MODULES = 'node_modules/';

export function readNpmLock(path: string, text: string): LockfileReading {
  const document = asRecord(parseJson(text));
  if (document.lockfileVersion === undefined) return 'unreadable';
  if (document.packages === undefined) return readNpmLockV1(path, document);
  const packages: LockedPackage[] = [];
  const resolved = new Map<string, string[]>();
  for (const [place, given] of Object.entries(asRecord(document.packages))) {
    const entry = asRecord(given);
    if (!place.includes(MODULES) || entry.link === true) continue;
    const installedAs = place.slice(place.lastIndexOf(MODULES) + MODULES.length);
    const name = asText(entry.name) ?? installedAs;
    const version = asText(entry.version);
    if (version === undefined || !isPackage(name, version)) continue;
    const licence = asText(entry.license) ?? null;
    const isDev = entry.dev === true || entry.devOptional === true;
    packages.push({
      ecosystem: 'npm',
      name,
      version,
      isDev,
      licence,
      hasInstallScript: entry.hasInstallScript === true,
    });
    if (place === `${MODULES}${installedAs}`) resolved.set(installedAs, [version]);
  }
  return { path, kind: 'npm', ecosystem: 'npm', packages, resolved };
}

function readNpmLockV1(path: string, document: Record<string, unknown>): LockfileReading {
  const packages: LockedPackage[] = [];
  const resolved = new Map<string, string[]>();
  const queue = [{ tree: asRecord(document.dependencies), isTop: true }];
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const [name, given] of Object.entries(next.tree)) {
      const entry = asRecord(given);
      const version = asText(entry.version);
      if (version === undefined || !isPackage(name, version)) continue;
      packages.push({ ecosystem: 'npm', name, version, isDev: entry.dev === true });
      if (next.isTop) resolved.set(name, [version]);
      queue.push({ tree: asRecord(entry.dependencies), isTop: false });
    }
  }
  return { path, kind: 'npm', ecosystem: 'npm', packages, resolved };
}

/**
 * Reads yarn.lock. Version 1 has blocks of `name@range, name@range:` with an indented `version "…"`; later versions
 * are YAML with `__metadata`.
 */
export function readYarnLock(path: string, text: string): LockfileReading {
  const packages = /^__metadata:/m.test(text) ? yarnBerry(text) : yarnClassic(text);
  if (!packages) return 'unreadable';
  return { path, kind: 'yarn', ecosystem: 'npm', packages, resolved: resolvedOf(packages) };
}

function yarnClassic(text: string): LockedPackage[] | undefined {
  if (!text.includes('yarn lockfile v1')) return undefined;
  const packages: LockedPackage[] = [];
  let name: string | undefined;
  for (const line of text.split('\n')) {
    if (/^["@\w]/.test(line)) name = nameOfDescriptor(line.replace(/^"/, ''));
    const version = /^ {2}version:? "?([^"\s]+)"?\s*$/.exec(line)?.[1];
    if (version === undefined || name === undefined || !isPackage(name, version)) continue;
    packages.push({ ecosystem: 'npm', name, version, isDev: false });
    name = undefined;
  }
  return packages;
}

function yarnBerry(text: string): LockedPackage[] | undefined {
  const document = parseYaml(text);
  if (document === undefined) return undefined;
  return Object.entries(asRecord(document)).flatMap(([descriptor, given]) => {
    const entry = asRecord(given);
    const resolution = asText(entry.resolution) ?? descriptor;
    const name = nameOfDescriptor(resolution);
    const version = asText(entry.version);
    if (/@(?:workspace|link|portal):/.test(resolution) || version === undefined || name === undefined)
      return [];
    return isPackage(name, version) ? [{ ecosystem: 'npm' as const, name, version, isDev: false }] : [];
  });
}

/** `@scope/name@^1` → `@scope/name`; for an alias `other@npm:name@^1`, the real package name. */
function nameOfDescriptor(descriptor: string): string | undefined {
  const alias = /@npm:(@?[^@\s"]+)@/.exec(descriptor)?.[1];
  return alias ?? /^(@?[^@\s"]+)@/.exec(descriptor)?.[1];
}

export function readPnpmLock(path: string, text: string): LockfileReading {
  const document = parseYaml(text);
  if (document === undefined) return 'unreadable';
  const { lockfileVersion, packages: listed, importers, ...root } = asRecord(document);
  if (lockfileVersion === undefined) return 'unreadable';
  const packages: LockedPackage[] = [];
  for (const [key, given] of Object.entries(asRecord(listed))) {
    const found = pnpmKey(key);
    if (!found || !isPackage(found.name, found.version)) continue;
    const entry = asRecord(given);
    packages.push({
      ecosystem: 'npm',
      ...found,
      isDev: entry.dev === true,
      hasInstallScript: entry.requiresBuild === true,
    });
  }
  const resolved = new Map<string, string[]>();
  for (const importer of [root, ...Object.values(asRecord(importers)).map(asRecord)])
    noteImporter(importer, resolved);
  return { path, kind: 'pnpm', ecosystem: 'npm', packages, resolved };
}

/** Parses a package key: `name@1.0.0(peer@2)` since 9, `/name@1.0.0` in 6, `/name/1.0.0_peer@2` in 5. */
function pnpmKey(key: string): { name: string; version: string } | undefined {
  const match =
    /^\/?(@[^/@]+\/[^/@]+|[^/@]+)@(\d[^(]*)/.exec(key) ?? /^\/(@[^/]+\/[^/]+|[^/]+)\/(\d[^_(]*)/.exec(key);
  return match?.[1] !== undefined && match[2] !== undefined
    ? { name: match[1], version: match[2] }
    : undefined;
}

function noteImporter(importer: Record<string, unknown>, resolved: Map<string, string[]>): void {
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, given] of Object.entries(asRecord(importer[group]))) {
      const written = asText(given) ?? asText(asRecord(given).version);
      const version =
        written === undefined ? undefined : (pnpmKey(written)?.version ?? written.replace(/[_(].*$/, ''));
      if (version === undefined || !isPackage(name, version)) continue;
      resolved.set(name, [...(resolved.get(name) ?? []), version]);
    }
  }
}
