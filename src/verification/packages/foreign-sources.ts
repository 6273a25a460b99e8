/** Finds packages and indexes from elsewhere than the public registry, and install scripts that reach the network. */
import type { ForeignSourceFact, NetworkedScriptFact } from '../../domain/evidence/evidence-facts';
import { parseJson } from '../../kit/packages/config-files';
import { asRecord } from '../../domain/json-value';
import { type BundleFiles, createLineCounter } from '../bundles/bundle-files';
import { dependencyTricks } from '../bundles/dependency-tricks';
import type { DependencyFacts } from './dependencies';
import { asText, baseOf } from './package-facts';

/** Registries, their mirrors by the same operators, and hosts of repositories, which a manifest must name. */
const USUAL =
  /^(?:registry\.npmjs\.org|registry\.yarnpkg\.com|registry\.npmmirror\.com|npm\.jsr\.io|npm\.pkg\.github\.com|pypi\.org|files\.pythonhosted\.org|pypi\.python\.org|download\.pytorch\.org|codeload\.github\.com|github\.com|gitlab\.com|bitbucket\.org|codeload\.gitlab\.com|.*\.pkg\.dev)$/;
const INDEX_LINE =
  /^\s*(?:(?:extra[-_])?index[-_]url|find[-_]links|registry|@[\w.-]+:registry)\s*[=:]\s*["']?(\S+?)["']?\s*$/;
const CONFIGS =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|pip\.ini|\.pypirc|pyproject\.toml|uv\.toml|Pipfile)$/;

export function foreignSources(files: BundleFiles, facts: DependencyFacts): ForeignSourceFact[] {
  const { texts } = files;
  const found: ForeignSourceFact[] = [];
  for (const { path, line, url, isExtra } of facts.indexes) {
    const host = hostOf(url);
    if (host === undefined || USUAL.test(host)) continue;
    found.push({ path, line, host, kind: isExtra ? 'extra_index' : 'index' });
  }
  for (const { path, text, isForeign } of texts) {
    if (isForeign || !CONFIGS.test(path)) continue;
    for (const [at, content] of text.split('\n').entries()) {
      const url = INDEX_LINE.exec(content)?.[1];
      const host = url === undefined ? undefined : hostOf(url);
      if (host === undefined || USUAL.test(host)) continue;
      found.push({ path, line: at + 1, host, kind: /extra|find/i.test(content) ? 'extra_index' : 'index' });
    }
  }
  const tricks = dependencyTricks(files, facts, (host) => USUAL.test(host)).filter(
    (trick) =>
      !found.some(
        ({ path, line, host }) => path === trick.path && line === trick.line && host === trick.host,
      ),
  );
  return [...found, ...packageHosts(texts, facts), ...tricks].sort((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line,
  );
}

/** The hosts from which lockfiles install, each with its first line. Reads each lockfile once. */
function packageHosts(texts: BundleFiles['texts'], facts: DependencyFacts): ForeignSourceFact[] {
  const byPath = new Map<string, Set<string>>();
  for (const { source, path } of facts.packages) {
    const host = source === undefined ? undefined : hostOf(source);
    if (host === undefined || USUAL.test(host)) continue;
    byPath.set(path, (byPath.get(path) ?? new Set()).add(host));
  }
  const textOf = new Map(texts.map(({ path, text }) => [path, text]));
  return [...byPath].flatMap(([path, hosts]) => {
    const lines = linesOf(hosts, textOf.get(path) ?? '');
    return [...hosts].map((host): ForeignSourceFact => ({
      path,
      line: lines.get(host) ?? 1,
      host,
      kind: 'package',
    }));
  });
}

const HOST = /[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;

function linesOf(hosts: ReadonlySet<string>, text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const lineOf = createLineCounter(text);
  for (const { 0: written, index } of text.matchAll(HOST)) {
    const host = written.toLowerCase();
    if (hosts.has(host) && !lines.has(host)) lines.set(host, lineOf(index));
  }
  return lines;
}

function hostOf(url: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(url.replace(/^git\+/, ''));
    return /^(?:https?|ftp|ssh):$/.test(protocol) ? hostname.toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}

/** npm runs `prepare` and the scripts around it for a folder and for a package from a repository. */
const INSTALL = /^(?:preinstall|install|postinstall|preprepare|prepare|postprepare|prepublish|dependencies)$/;
/** What many packages write into `prepare`. */
const ORDINARY = /\bhusky\b|is-ci|simple-git-hooks|lefthook|ts-patch/;
const NETWORK: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:curl|wget|Invoke-WebRequest|iwr|nc|ncat|ftp|scp)\b|powershell|certutil|bitsadmin/i,
    'reaches the network',
  ],
  [/https?:\/\//i, 'reaches the network'],
  [
    /\bnode\s+-e\b|\bpython[23]?\s+-c\b|\bbase64\b|\beval\b|\|\s*(?:ba)?sh\b|\b(?:ba)?sh\s+-c\b/,
    'runs code that is written in the script',
  ],
];
const LOADS =
  /\bfetch\s*\(|https?\.(?:get|request)\s*\(|require\s*\(\s*["'](?:node:)?(?:https?|net|dns|axios|node-fetch|got|request)["']|from\s+["'](?:node:)?(?:https?|net|axios|node-fetch|got)["']|\bcurl\b|\bwget\b|urlopen|requests\./;

/**
 * Scripts of package.json that run at installation and reach the network, themselves or by the file that they start.
 */
export function networkedScripts({ texts }: BundleFiles): NetworkedScriptFact[] {
  const byPath = new Map(texts.map((file) => [file.path, file.text]));
  return texts.flatMap(({ path, text, isTest }): NetworkedScriptFact[] => {
    if (baseOf(path) !== 'package.json' || isTest) return [];
    return Object.entries(asRecord(asRecord(parseJson(text)).scripts)).flatMap(([name, given]) => {
      const command = asText(given);
      if (command === undefined || !INSTALL.test(name)) return [];
      if (/prep/.test(name) && ORDINARY.test(command) && !/https?:/.test(command)) return [];
      const what =
        NETWORK.find(([pattern]) => pattern.test(command))?.[1] ?? startedFile(path, command, byPath);
      if (what === undefined) return [];
      const line = text.slice(0, Math.max(0, text.indexOf(`"${name}"`))).split('\n').length;
      return [{ path, line, name, what }];
    });
  });
}

function startedFile(path: string, command: string, byPath: ReadonlyMap<string, string>): string | undefined {
  const folder = path.slice(0, path.length - baseOf(path).length);
  const file = /(?:node|sh|bash|python[23]?|tsx|bun)\s+(?:\.\/)?([\w./-]+)/.exec(command)?.[1];
  const text =
    file === undefined ? undefined : (byPath.get(`${folder}${file}`) ?? byPath.get(`${folder}${file}.js`));
  return text !== undefined && LOADS.test(text) ? 'starts a file that reaches the network' : undefined;
}
