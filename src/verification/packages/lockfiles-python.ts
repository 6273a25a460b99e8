/** Readers for Python: poetry.lock, uv.lock, and requirements.txt, which is both manifest and lockfile. */
import { parseToml } from '../../kit/packages/config-files';
import { exactVersion, normalName } from '../../kit/packages/package-versions';
import {
  asText,
  type Dependency,
  isPackage,
  type LockedPackage,
  type Lockfile,
  type LockfileReading,
  type PackageManifest,
  resolvedOf,
} from './package-facts';
import { asRecord } from '../../domain/json-value';

/** Reads poetry.lock and uv.lock, which are lists of `[[package]]` with name and version. */
export function readTomlLock(path: string, text: string, kind: 'poetry' | 'uv'): LockfileReading {
  const { package: listed } = asRecord(parseToml(text));
  if (!Array.isArray(listed)) return 'unreadable';
  const packages = listed.flatMap((given): LockedPackage[] => {
    const entry = asRecord(given);
    const name = asText(entry.name);
    const version = asText(entry.version);
    const source = asRecord(entry.source);
    const isOwn =
      source.virtual !== undefined || source.editable !== undefined || source.directory !== undefined;
    if (isOwn || name === undefined || version === undefined || !isPackage(name, version)) return [];
    const isDev = entry.category === 'dev' || isOnlyDev(entry.groups);
    return [{ ecosystem: 'PyPI', name: normalName('PyPI', name), version, isDev }];
  });
  return { path, kind, ecosystem: 'PyPI', packages, resolved: resolvedOf(packages) };
}

function isOnlyDev(groups: unknown): boolean {
  return Array.isArray(groups) && groups.length > 0 && groups.every((group) => group !== 'main');
}

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/;

/** Parses one PEP 508 requirement; returns undefined when it names no package. */
export function readRequirement(line: string, isDev: boolean): Dependency | undefined {
  const match = NAME.exec(line.trim());
  if (!match?.[1]) return undefined;
  const range = (match[2] ?? '')
    .replace(/;.*$/, '')
    .replace(/^\((.*)\)$/, '$1')
    .trim();
  return { name: normalName('PyPI', match[1]), range, isDev };
}

/**
 * Reads a requirements file: its dependencies, and the versions of those pinned exactly. Options and hashes are
 * ignored.
 */
export function readRequirements(path: string, text: string): { manifest: PackageManifest; lock: Lockfile } {
  const isDev = /(?:dev|test|lint|docs?)[^/]*\.txt$/i.test(path);
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/);
  const dependencies = lines.flatMap((given) => {
    const line = given
      .replace(/(?:^|\s)#.*$/, '')
      .replace(/\s--hash=.*$/, '')
      .trim();
    if (line === '' || line.startsWith('-')) return [];
    return readRequirement(line, isDev) ?? [];
  });
  const packages = dependencies.flatMap(({ name, range }): LockedPackage[] => {
    const version = exactVersion('PyPI', range);
    return version !== null && isPackage(name, version) ? [{ ecosystem: 'PyPI', name, version, isDev }] : [];
  });
  return {
    manifest: { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] },
    lock: { path, kind: 'requirements', ecosystem: 'PyPI', packages, resolved: resolvedOf(packages) },
  };
}
