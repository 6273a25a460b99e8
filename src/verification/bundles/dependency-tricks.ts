/**
 * Finds dependencies that are not what their names say: archives of other packages, aliases and overrides of popular
 * names, addresses, scopes that are asked at the wrong registry, and indexes that commands and settings name.
 */
import type { ForeignSourceFact } from '../../domain/evidence/evidence-facts';
import { asRecord } from '../../domain/json-value';
import { parseJson } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { isToolFile } from '../data/tool-file-rules';
import type { DependencyFacts } from '../packages/dependencies';
import { isPopular } from '../packages/imitated-names';
import { baseOf } from '../packages/package-facts';
import type { BundleFiles } from './bundle-files';
import type { SourceFile } from './source-file';

type Trick = ForeignSourceFact;
type IsUsual = (host: string) => boolean;

/** Archives that may be fetched by their address: those of releases. */
const ARCHIVES =
  /^(?:github\.com|codeload\.github\.com|gitlab\.com|bitbucket\.org|objects\.githubusercontent\.com|raw\.githubusercontent\.com|huggingface\.co|dl\.google\.com|storage\.googleapis\.com|sdk\.cloud\.google\.com)$/;
const MOST = 200;

/** `isUsual`: whether a host is a public registry or a mirror of one. */
export function dependencyTricks({ texts }: BundleFiles, facts: DependencyFacts, isUsual: IsUsual): Trick[] {
  const own = texts.filter(({ isForeign, isBinary }) => !isForeign && isBinary !== true);
  const lineOf = createPlaces(own);
  const found = [
    ...facts.packages.flatMap((one) => archiveTrick(one, facts)),
    ...facts.direct.flatMap((one) => directTrick(one, isUsual)),
    ...wrongScopes(own, facts),
    ...own.flatMap((file) => [...overrides(file), ...wheels(file), ...indexes(file, isUsual)]),
  ];
  const each = new Map(found.map((one) => [`${one.path} ${one.kind} ${one.host}`, one]));
  return [...each.values()].slice(0, MOST).map((one) => (one.line > 0 ? one : { ...one, line: lineOf(one) }));
}

/** The line of the first occurrence of what a trick names. */
function createPlaces(files: readonly SourceFile[]): (trick: Trick) => number {
  const textOf = new Map(files.map(({ path, text }) => [path, text]));
  return ({ path, host }) => {
    const text = textOf.get(path) ?? '';
    const at = text.indexOf(host.split(' ', 1)[0] ?? '');
    return at < 0 ? 1 : text.slice(0, at).split('\n').length;
  };
}

const NPM_ARCHIVE =
  /^https?:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|registry\.npmmirror\.com)\/((?:@|%40)[^/]{1,200}(?:\/|%2[fF])[^/]{1,200}|[^/@]{1,200})\/-\/[^/]{1,250}$/;

/** A lockfile that installs the archive of another package, or one that travels without encryption. */
function archiveTrick(
  { ecosystem, name, source, path, origin }: DependencyFacts['packages'][number],
  { direct }: DependencyFacts,
): Trick[] {
  if (ecosystem !== 'npm' || source === undefined) return [];
  const archive = NPM_ARCHIVE.exec(source.split(/[#?]/, 1)[0] ?? '')?.[1];
  const real = archive === undefined ? undefined : archive.replace('%40', '@').replace(/%2f/i, '/');
  if (real !== undefined && real !== name)
    return [{ path, line: 0, kind: 'other_package', host: `${real} in place of ${name}` }];
  if (/^http:\/\/registry\.npmjs\.org\//.test(source))
    return [{ path, line: 0, kind: 'unencrypted', host: source.slice(0, 80) }];
  if (origin !== 'repository' && !/^git|^ssh:|codeload\.github\.com|api\.github\.com/.test(source)) return [];
  const wanted = direct.find((one) => one.name === name && one.manifest.ecosystem === 'npm');
  if (!wanted || !/^[\^~>=<v]?\s{0,3}\d|^[*x]$|^latest$/.test(wanted.range)) return [];
  return [
    {
      path,
      line: 0,
      kind: 'other_package',
      host: `${hostIn(source) ?? 'a repository'} in place of the registry for ${name}`,
    },
  ];
}

/** A popular name that installs another package, and a package from an address. */
function directTrick(
  { name, realName, range, manifest }: DependencyFacts['direct'][number],
  isUsual: IsUsual,
): Trick[] {
  const { path, ecosystem } = manifest;
  if (
    realName !== undefined &&
    realName !== name &&
    isPopular(ecosystem, name) &&
    !isPopular(ecosystem, realName)
  )
    return [{ path, line: 0, kind: 'alias', host: `${name} for the package ${realName}` }];
  const host = hostIn(range);
  if (host === undefined || isUsual(host) || ARCHIVES.test(host) || /^git\+/.test(range)) return [];
  return [{ path, line: 0, kind: 'address', host: `${host} for ${name}` }];
}

/** What an override installs in place of a package; versions, folders and patches are ordinary. */
function overrides({ path, text }: SourceFile): Trick[] {
  if (baseOf(path) !== 'package.json' || !/"(?:overrides|resolutions)"/.test(text)) return [];
  const { overrides: ofNpm, resolutions, pnpm } = asRecord(parseJson(text));
  const queue: unknown[] = [ofNpm, resolutions, asRecord(pnpm).overrides];
  const found: Trick[] = [];
  for (let next = queue.pop(); next !== undefined || queue.length > 0; next = queue.pop())
    for (const [key, value] of Object.entries(asRecord(next))) {
      if (typeof value !== 'string') queue.push(value);
      else if (isOtherPackage(key, value))
        found.push({ path, line: 0, kind: 'override', host: `${bare(key)} by ${value.slice(0, 80)}` });
    }
  return found;
}

function isOtherPackage(key: string, value: string): boolean {
  const alias = /^npm:((?:@[^@/]{1,200}\/)?[^@]{1,200})/.exec(value)?.[1];
  if (alias !== undefined)
    return alias !== bare(key) && !isPopular('npm', alias) && !alias.startsWith('@nolyfill/');
  return /^(?:https?:|git[+:@]|git:\/\/|ssh:|github:|gitlab:|bitbucket:|gist:)|^[\w.-]{1,100}\/[\w.-]{1,100}(?:#|$)/.test(
    value,
  );
}

/** The name of the package at the end of a path such as `a>b@1`. */
function bare(key: string): string {
  const last = key.replace(/^.*>/, '').replace(/^.*\*\*\//, '');
  return /^(@?[^@]{1,200})/.exec(last)?.[1] ?? last;
}

/** Scopes that `.npmrc` sends to a registry of its own and that a lockfile took from the public one. */
function wrongScopes(own: readonly SourceFile[], { packages }: DependencyFacts): Trick[] {
  const scopes = new Set<string>();
  for (const { path, text } of own)
    if (baseOf(path) === '.npmrc')
      for (const [, scope = '', url = ''] of text.matchAll(
        /^\s{0,20}(@[\w.-]{1,100}):registry\s{0,9}=\s{0,9}(\S{1,300})/gm,
      ))
        if (!/registry\.npmjs\.org|registry\.yarnpkg\.com/.test(url)) scopes.add(scope);
  if (scopes.size === 0) return [];
  return packages.flatMap(({ name, source, path }): Trick[] => {
    const isPublic =
      source !== undefined && /^https?:\/\/registry\.(?:npmjs\.org|yarnpkg\.com)\//.test(source);
    if (!isPublic || !scopes.has(name.split('/', 1)[0] ?? '')) return [];
    return [{ path, line: 0, kind: 'scope', host: `${name} from the public registry` }];
  });
}

const LOCKS_OF_PYTHON = /(?:^|\/)(?:uv\.lock|pdm\.lock|pylock(?:\.[\w-]{1,60})?\.toml|poetry\.lock)$/;
const WHEEL =
  /https:\/\/files\.pythonhosted\.org\/packages\/[\w/]{1,200}\/([A-Za-z0-9][\w.-]{0,150}?)-v?\d[^/"'\s]{0,200}\.(?:whl|tar\.gz|zip|tar\.bz2)/g;

/** Archives of PyPI in a lockfile whose names are those of other packages. */
function wheels({ path, text }: SourceFile): Trick[] {
  if (!LOCKS_OF_PYTHON.test(path)) return [];
  return text
    .split(/^\[\[packages?\]\]\s{0,9}$/m)
    .slice(1)
    .flatMap((block): Trick[] => {
      const name = /^name = "([^"\n]{1,200})"/m.exec(block)?.[1];
      if (name === undefined) return [];
      for (const [, file = ''] of block.matchAll(WHEEL))
        if (normalName('PyPI', file) !== normalName('PyPI', name))
          return [{ path, line: 0, kind: 'other_package', host: `${file} in place of ${name}` }];
      return [];
    });
}

const OPTION =
  /(?:--extra-index-url|--index-url|--find-links|--registry|\bconfig\s{1,9}set\s{1,9}registry|\b(?:PIP_(?:EXTRA_)?INDEX_URL|PIP_FIND_LINKS|UV_(?:EXTRA_|DEFAULT_)?INDEX(?:_URL)?|npm_config_registry|NPM_CONFIG_REGISTRY|YARN_REGISTRY|YARN_NPM_REGISTRY_SERVER))[\s=:"']{1,6}((?:https?|ftp):\/\/[^\s"'\\]{1,300})/g;
const SECTION = /^\s{0,20}\[\[?([\w.-]{1,80})\]?\]/;
const SOURCE_SECTION =
  /^(?:tool\.(?:poetry\.source|uv\.index|pdm\.source|pixi\.pypi-options)|source|index|install(?:\.scopes)?)$/;
const SOURCE_URL =
  /^\s{0,20}(?:url|registry|"?@[\w.-]{1,80}"?)\s{0,9}=\s{0,9}["']((?:https?|ftp):\/\/[^"'\s]{1,300})["']/;
const SOURCE_FILES = /(?:^|\/)(?:pyproject\.toml|uv\.toml|Pipfile|bunfig\.toml)$/;
const REQUIREMENTS = /(?:^|\/)[\w.-]{0,60}requirements[\w.-]{0,60}\.(?:txt|in)$/i;

/** Indexes of packages in commands, in the environment of images and pipelines, and in the tables of projects. */
function indexes({ path, text }: SourceFile, isUsual: IsUsual): Trick[] {
  const found: Trick[] = [];
  const note = (url: string, line: number, kind: Trick['kind']) => {
    const host = hostIn(url);
    if (host !== undefined && !isUsual(host) && !/^(?:localhost|127\.|host\.docker)/.test(host))
      found.push({ path, line, host, kind });
  };
  const isTools = isToolFile(path) || /\.(?:sh|bash)$/.test(path);
  const isTable = SOURCE_FILES.test(path);
  const isList = REQUIREMENTS.test(path);
  if (!isTools && !isTable && !isList) return found;
  let section = '';
  for (const [at, line] of text.split('\n').entries()) {
    section = SECTION.exec(line)?.[1] ?? section;
    if (isTools)
      for (const [option, url = ''] of line.matchAll(OPTION))
        note(url, at + 1, /extra|find/i.test(option) ? 'extra_index' : 'index');
    const url = isTable && SOURCE_SECTION.test(section) ? SOURCE_URL.exec(line)?.[1] : undefined;
    if (url !== undefined) note(url, at + 1, 'index');
    const archive = isList ? /^https?:\/\/\S{1,300}/.exec(line)?.[0] : undefined;
    if (archive !== undefined && !ARCHIVES.test(hostIn(archive) ?? '')) note(archive, at + 1, 'address');
  }
  return found;
}

function hostIn(text: string): string | undefined {
  const url = /(?:https?|ftp|ssh):\/\/[^\s"'#]{1,300}/.exec(text)?.[0];
  try {
    return url === undefined ? undefined : new URL(url).hostname.toLowerCase();
  } catch {
    return undefined;
  }
}
