/** Readers for package.json, pyproject.toml, setup.cfg, setup.py and Pipfile. */
import { parseJson, parseToml } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { readRequirement } from './requirements';
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
        ? [dependencyOf(key, range, isDev)]
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

/** `npm:name@range` installs a package under another name. */
function dependencyOf(name: string, range: string, isDev: boolean): Dependency {
  const alias = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(range);
  if (!alias?.[1]) return { name, range, isDev };
  return { name, realName: alias[1], range: alias[2] ?? '', isDev };
}

/** Reads pyproject.toml by PEP 621 or poetry; returns undefined when it is not TOML. */
export function readPyproject(path: string, text: string): PackageManifest | undefined {
  const parsed = parseToml(text);
  if (parsed === undefined) return undefined;
  const { project, tool, 'dependency-groups': groups } = asRecord(parsed);
  const { dependencies, license, 'optional-dependencies': extras } = asRecord(project);
  const pdmGroups = asRecord(asRecord(asRecord(tool).pdm)['dev-dependencies']);
  const poetry = asRecord(asRecord(tool).poetry);
  const groupsOfPoetry = Object.values(asRecord(poetry.group)).map((group) => asRecord(group).dependencies);
  const licence = asText(license) ?? asText(asRecord(license).text) ?? asText(poetry.license) ?? null;
  return {
    path,
    ecosystem: 'PyPI',
    dependencies: [
      ...requirements(dependencies, false),
      ...Object.values(asRecord(extras)).flatMap((group) => requirements(group, false)),
      ...Object.values(pdmGroups).flatMap((group) => requirements(group, true)),
      ...Object.values(asRecord(groups)).flatMap((group) => requirements(group, true)),
      ...poetryGroup(poetry.dependencies, false),
      ...[poetry['dev-dependencies'], ...groupsOfPoetry].flatMap((group) => poetryGroup(group, true)),
    ],
    licence,
    installScripts: [],
    extras: Object.keys(asRecord(extras)),
  };
}

/** Reads `install_requires` and `extras_require` of setup.cfg. */
export function readSetupCfg(path: string, text: string): PackageManifest {
  const dependencies: Dependency[] = [];
  let section = '';
  let inList = false;
  for (const line of text.split(/\r?\n/)) {
    section = /^\[(.*)\]\s*$/.exec(line)?.[1] ?? section;
    const [, key, value = ''] = /^([\w.-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined)
      inList = section === 'options.extras_require' || (section === 'options' && key === 'install_requires');
    const item = key === undefined ? (/^\s+\S/.test(line) ? line : '') : value;
    if (inList && !/^\s*[#;]/.test(item))
      dependencies.push(
        ...item.split(/;(?=\s*$)/).flatMap((one) => readRequirement(one.replace(/\s#.*$/, ''), false) ?? []),
      );
  }
  return { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] };
}

/** Reads the literal list `install_requires=[…]` of setup.py, which is never executed. */
export function readSetupPy(path: string, text: string): PackageManifest {
  const list = /install_requires\s*=\s*\[([^\]]{0,20000})\]/.exec(text)?.[1] ?? '';
  const items = [...list.replace(/^\s*#.*$/gm, '').matchAll(/"([^"\n]+)"|'([^'\n]+)'/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  const dependencies = items.flatMap((item) => readRequirement(item, false) ?? []);
  return { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] };
}

/** Reads Pipfile; returns undefined when it is not TOML. */
export function readPipfile(path: string, text: string): PackageManifest | undefined {
  const parsed = parseToml(text);
  if (parsed === undefined) return undefined;
  const { packages, 'dev-packages': development } = asRecord(parsed);
  const dependencies = [...pipfileGroup(packages, false), ...pipfileGroup(development, true)];
  return { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] };
}

function pipfileGroup(given: unknown, isDev: boolean): Dependency[] {
  return Object.entries(asRecord(given)).flatMap(([name, value]) => {
    const { path, git, file } = asRecord(value);
    if (path !== undefined || git !== undefined || file !== undefined) return [];
    const range = asText(value) ?? asText(asRecord(value).version) ?? '';
    return [{ name: normalName('PyPI', name), range: range === '*' ? '' : range, isDev }];
  });
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
