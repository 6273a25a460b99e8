/** Readers for package.json and pyproject.toml. */
import { parseJson, parseToml } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { readRequirement } from './lockfiles-python';
import { asText, type Dependency, type PackageManifest } from './package-facts';
import { asRecord } from '../../domain/json-value';

/** Scripts that run when the package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** Reads package.json; returns undefined when it is not JSON. */
export function readPackageJson(path: string, text: string): PackageManifest | undefined {
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const document = asRecord(parsed);
  const group = (name: string, isDev: boolean): Dependency[] =>
    Object.entries(asRecord(document[name])).flatMap(([key, range]) =>
      typeof range === 'string' && !/^(?:file|link|workspace|portal):/.test(range)
        ? [{ name: key, range, isDev }]
        : [],
    );
  const scripts = asRecord(document.scripts);
  return {
    path,
    ecosystem: 'npm',
    dependencies: [
      ...group('dependencies', false),
      ...group('optionalDependencies', false),
      ...group('devDependencies', true),
    ],
    licence: asText(document.license) ?? asText(asRecord(document.license).type) ?? null,
    installScripts: INSTALL_SCRIPTS.filter((name) => typeof scripts[name] === 'string'),
  };
}

/** Reads pyproject.toml by PEP 621 or poetry; returns undefined when it is not TOML. */
export function readPyproject(path: string, text: string): PackageManifest | undefined {
  const parsed = parseToml(text);
  if (parsed === undefined) return undefined;
  const { project, tool, 'dependency-groups': groups } = asRecord(parsed);
  const { dependencies, license } = asRecord(project);
  const poetry = asRecord(asRecord(tool).poetry);
  const groupsOfPoetry = Object.values(asRecord(poetry.group)).map((group) => asRecord(group).dependencies);
  const licence = asText(license) ?? asText(asRecord(license).text) ?? asText(poetry.license) ?? null;
  return {
    path,
    ecosystem: 'PyPI',
    dependencies: [
      ...requirements(dependencies, false),
      ...Object.values(asRecord(groups)).flatMap((group) => requirements(group, true)),
      ...poetryGroup(poetry.dependencies, false),
      ...[poetry['dev-dependencies'], ...groupsOfPoetry].flatMap((group) => poetryGroup(group, true)),
    ],
    licence,
    installScripts: [],
  };
}

function requirements(given: unknown, isDev: boolean): Dependency[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((line) => (typeof line === 'string' ? (readRequirement(line, isDev) ?? []) : []));
}

function poetryGroup(given: unknown, isDev: boolean): Dependency[] {
  return Object.entries(asRecord(given)).flatMap(([name, value]) => {
    if (name === 'python' || asRecord(value).path !== undefined) return [];
    const range = asText(value) ?? asText(asRecord(value).version) ?? '';
    return [{ name: normalName('PyPI', name), range: poetryRange(range), isDev }];
  });
}

/** Converts poetry's `^1.2` and `~1.2` to PEP 440; a bare version is exact. */
function poetryRange(range: string): string {
  const [, sign, version] = /^([\^~]?)\s*(\d+(?:\.\d+)*)$/.exec(range.trim()) ?? [];
  if (version === undefined) return range === '*' ? '' : range;
  if (sign === '') return `==${version}`;
  const parts = version.split('.').map(Number);
  const at =
    sign === '^'
      ? Math.max(
          0,
          parts.findIndex((part) => part > 0),
        )
      : Math.min(1, parts.length - 1);
  const next = parts.slice(0, at + 1).map((part, index) => (index === at ? part + 1 : part));
  return `>=${version},<${next.join('.')}`;
}
