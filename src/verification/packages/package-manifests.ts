/** Readers for package.json, pyproject.toml, setup.cfg, setup.py and Pipfile. */
import { parseJson, parseToml } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { readRequirement } from './requirements';
import {
  asText,
  type Dependency,
  isDevelopmentName,
  licenceText,
  type PackageManifest,
} from './package-facts';
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
    licence: licenceText(document.license) ?? licenceText(asRecord(document.license).type),
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
  const groupsOfPoetry = Object.entries(asRecord(poetry.group)).map(([name, group]) => ({
    name,
    dependencies: asRecord(group).dependencies,
    // Poetry installs each group that is not optional.
    isDev: isDevelopmentName(name) || asRecord(group).optional === true,
  }));
  const licence = licenceText(license) ?? licenceText(asRecord(license).text) ?? licenceText(poetry.license);
  return {
    path,
    ecosystem: 'PyPI',
    dependencies: [
      ...requirements(dependencies, false),
      ...Object.values(asRecord(extras)).flatMap((group) => requirements(group, false)),
      ...Object.values(pdmGroups).flatMap((group) => requirements(group, true)),
      ...Object.values(asRecord(groups)).flatMap((group) => requirements(group, true)),
      ...poetryGroup(poetry.dependencies, false),
      ...poetryGroup(poetry['dev-dependencies'], true),
      ...groupsOfPoetry.flatMap((group) => poetryGroup(group.dependencies, group.isDev)),
    ],
    licence,
    installScripts: [],
    extras: [
      ...Object.keys(asRecord(extras)),
      ...groupsOfPoetry.filter(({ isDev }) => !isDev).map(({ name }) => name),
    ],
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

/** Reads the literal lists `install_requires=[…]` of setup.py, which is never executed. */
export function readSetupPy(path: string, text: string): PackageManifest {
  const dependencies = requiredStrings(text).flatMap((item) => readRequirement(item, false) ?? []);
  return { path, ecosystem: 'PyPI', dependencies, licence: null, installScripts: [] };
}

const LIST_BEGINS = /install_requires\s{0,20}=\s{0,20}[[(]/y;

/** The strings in the lists, outside of comments and of other strings. Reads the text once. */
function requiredStrings(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '#') at = lineEnd(text, at);
    else if (character === '"' || character === "'") {
      const [start, end, next] = stringAt(text, at);
      if (depth > 0) items.push(text.slice(start, end));
      at = next - 1;
    } else if (depth > 0 && '[({'.includes(character)) depth += 1;
    else if (depth > 0 && '])}'.includes(character)) depth -= 1;
    else if (depth === 0 && character === 'i' && !/\w/.test(text.charAt(at - 1))) {
      LIST_BEGINS.lastIndex = at;
      if (!LIST_BEGINS.test(text)) continue;
      at = LIST_BEGINS.lastIndex - 1;
      depth = 1;
    }
  }
  return items;
}

/** The content of the string of Python that begins at `at`: its start, its end, and the index after its quotes. */
function stringAt(text: string, at: number): [start: number, end: number, next: number] {
  const one = text.charAt(at);
  const quotes = text.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
  const start = at + quotes.length;
  for (let index = start; index < text.length; index += 1) {
    if (text.charAt(index) === '\\') index += 1;
    else if (text.startsWith(quotes, index)) return [start, index, index + quotes.length];
    else if (quotes === one && text.charAt(index) === '\n') return [start, index, index];
  }
  return [start, text.length, text.length];
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/**
 * Reads the dependencies that a script states in its first lines (PyPA, "Inline script metadata"). Returns undefined
 * for a script without them, and `unreadable` when they are no TOML.
 */
export function readInlineScript(path: string, text: string): PackageManifest | 'unreadable' | undefined {
  if (!text.includes('# /// script')) return undefined;
  const lines = text.split(/\r?\n/);
  const begin = lines.findIndex((line) => /^# \/\/\/ script\s*$/.test(line));
  if (begin < 0) return undefined;
  let end = begin + 1;
  let last = -1;
  for (; /^#(?: |$)/.test(lines[end] ?? ''); end += 1) if (/^# \/\/\/\s*$/.test(lines[end] ?? '')) last = end;
  if (last < 0) return 'unreadable';
  const parsed = parseToml(
    lines
      .slice(begin + 1, last)
      .map((line) => line.slice(2))
      .join('\n'),
  );
  if (parsed === undefined) return 'unreadable';
  const dependencies = requirements(asRecord(parsed).dependencies, false);
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
