/** Reader for the lockfiles of npm (v1 to v3). */
import { parseJson } from '../../kit/packages/config-files';
import { asText, isPackage, type LockedPackage, type LockfileReading } from './package-facts';
import { asRecord } from '../../domain/json-value';

const MODULES = 'node_modules/';

export function readNpmLock(path: string, text: string): LockfileReading {
  const document = asRecord(parseJson(text));
  if (document.lockfileVersion === undefined && document.dependencies === undefined) return 'unreadable';
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
    packages.push({
      ecosystem: 'npm',
      name,
      version,
      // A package that is `devOptional` is also an optional dependency of production.
      isDev: entry.dev === true,
      licence: asText(entry.license) ?? null,
      hasInstallScript: entry.hasInstallScript === true,
      source: asText(entry.resolved),
    });
    if (place === `${MODULES}${installedAs}`) resolved.set(installedAs, [version]);
  }
  return { path, kind: 'npm', ecosystem: 'npm', packages, resolved };
}

/** A dependency on a file, a repository or a URL has no version of the registry. */
const NO_VERSION = /^(?:file:|git|github:|gitlab:|bitbucket:|https?:|ssh:)/;

function readNpmLockV1(path: string, document: Record<string, unknown>): LockfileReading {
  const packages: LockedPackage[] = [];
  const resolved = new Map<string, string[]>();
  const queue = [{ tree: asRecord(document.dependencies), isTop: true }];
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const [key, given] of Object.entries(next.tree)) {
      const entry = asRecord(given);
      const written = asText(entry.version);
      const alias = /^npm:(@?[^@]+)@(.+)$/.exec(written ?? '');
      const name = alias?.[1] ?? key;
      const version = alias?.[2] ?? written;
      queue.push({ tree: asRecord(entry.dependencies), isTop: false });
      if (version === undefined || NO_VERSION.test(version) || !isPackage(name, version)) continue;
      packages.push({
        ecosystem: 'npm',
        name,
        version,
        isDev: entry.dev === true,
        source: asText(entry.resolved),
      });
      if (next.isTop) resolved.set(key, [version]);
    }
  }
  return { path, kind: 'npm', ecosystem: 'npm', packages, resolved };
}
