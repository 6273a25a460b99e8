/** Reader for the lockfiles of npm (v1 to v3). */
import { parseJson } from '../../kit/packages/config-files';
import {
  asText,
  baseOf,
  createPackageList,
  createResolved,
  type Elsewhere,
  licenceText,
  type LockfileReading,
  originOf,
} from './package-facts';
import { asRecord, isRecord } from '../../domain/json-value';

const MODULES = 'node_modules/';

export function readNpmLock(path: string, text: string): LockfileReading {
  const document = asRecord(parseJson(text));
  if (document.lockfileVersion === undefined && document.dependencies === undefined) return 'unreadable';
  if (document.packages === undefined) return readNpmLockV1(path, document);
  if (!isRecord(document.packages)) return 'unreadable';
  const list = createPackageList();
  const resolved = createResolved();
  for (const [place, given] of Object.entries(asRecord(document.packages))) {
    const entry = asRecord(given);
    if (place === '' || entry.link === true) continue;
    const isFolder = !place.includes(MODULES);
    const installedAs = isFolder ? baseOf(place) : place.slice(place.lastIndexOf(MODULES) + MODULES.length);
    const name = asText(entry.name) ?? installedAs;
    const version = asText(entry.version) ?? '';
    const origin = isFolder ? 'folder' : repositoryOf(asText(entry.resolved));
    const isAdded = list.add({
      ecosystem: 'npm',
      name,
      version,
      // A package that is `devOptional` is also an optional dependency of production.
      isDev: entry.dev === true,
      licence: licenceText(entry.license),
      hasInstallScript: entry.hasInstallScript === true,
      source: asText(entry.resolved),
      origin,
    });
    if (isAdded && place === `${MODULES}${installedAs}`) resolved.note(installedAs, version);
  }
  return readingOf(path, list, resolved);
}

/** Archives of registries have addresses, too; those of repositories say so. */
function repositoryOf(resolved: string | undefined): Elsewhere | undefined {
  return resolved !== undefined && /^git|^ssh:|codeload\.github\.com\//.test(resolved)
    ? 'repository'
    : undefined;
}

function readNpmLockV1(path: string, document: Record<string, unknown>): LockfileReading {
  const list = createPackageList();
  const resolved = createResolved();
  const queue = [{ tree: asRecord(document.dependencies), isTop: true }];
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const [key, given] of Object.entries(next.tree)) {
      const entry = asRecord(given);
      const written = asText(entry.version);
      const alias = /^npm:(@?[^@]+)@(.+)$/.exec(written ?? '');
      const name = alias?.[1] ?? key;
      const origin = originOf(written ?? '');
      // A dependency on a folder, a repository or an address has no version of the registry here.
      const version = alias?.[2] ?? (origin === undefined ? written : '');
      queue.push({ tree: asRecord(entry.dependencies), isTop: false });
      const isAdded = list.add({
        ecosystem: 'npm',
        name,
        version,
        isDev: entry.dev === true,
        source: asText(entry.resolved),
        origin,
      });
      if (isAdded && next.isTop) resolved.note(key, version ?? '');
    }
  }
  return readingOf(path, list, resolved);
}

function readingOf(
  path: string,
  { packages, unreadable }: ReturnType<typeof createPackageList>,
  resolved: ReturnType<typeof createResolved>,
): LockfileReading {
  return { path, kind: 'npm', ecosystem: 'npm', packages, resolved: resolved.versions, unreadable };
}
