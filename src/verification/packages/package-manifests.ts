/** package.json and pyproject.toml: what a bundle says that it needs. */
import { parseJson, parseToml } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { readRequirement } from './lockfiles-python';
import { asObject, asText, type Dependency, type PackageManifest } from './package-facts';

/** Scripts that run when somebody installs the package. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

/** Undefined when the text is no JSON object. */
export function readPackageJson(path: string, text: string): PackageManifest | undefined {
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const document = asObject(parsed);
  const group = (name: string, isDev: boolean): Dependency[] =>
    Object.entries(asObject(document[name])).flatMap(([key, range]) =>
      typeof range === 'string' && !/^(?:file|link|workspace|portal):/.test(range)
        ? [{ name: key, range, isDev }]
        : [],
    );
  const scripts = asObject(document.scripts);
  return {
    path,
    ecosystem: 'npm',
    dependencies: [
      ...group('dependencies', false),
      ...group('optionalDependencies', false),
      ...group('devDependencies', true),
    ],
    licence: asText(document.license) ?? asText(asObject(document.license).type) ?? null,
    installScripts: INSTALL_SCRIPTS.filter((name) => typeof scripts[name] === 'string'),
  };
}

/** Of PEP 621 or poetry. Undefined when the text is no TOML. */
export function readPyproject(path: string, text: string): PackageManifest | undefined {
  const parsed = parseToml(text);
  if (parsed === undefined) return undefined;
  const { project, tool, 'dependency-groups': groups } = asObject(parsed);
  const { dependencies, license } = asObject(project);
  const poetry = asObject(asObject(tool).poetry);
  const groupsOfPoetry = Object.values(asObject(poetry.group)).map((group) => asObject(group).dependencies);
  const licence = asText(license) ?? asText(asObject(license).text) ?? asText(poetry.license) ?? null;
  return {
    path,
    ecosystem: 'PyPI',
    dependencies: [
      ...requirements(dependencies, false),
      ...Object.values(asObject(groups)).flatMap((group) => requirements(group, true)),
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
  return Object.entries(asObject(given)).flatMap(([name, value]) => {
    if (name === 'python' || asObject(value).path !== undefined) return [];
    const range = asText(value) ?? asText(asObject(value).version) ?? '';
    return [{ name: normalName('PyPI', name), range: poetryRange(range), isDev }];
  });
}

/** Poetry's `^1.2` and `~1.2` by PEP 440; a bare version means exactly it. */
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
