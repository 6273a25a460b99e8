/** Readers for yarn.lock: version 1, and the YAML of later versions. */
import { parseYaml } from '../../kit/packages/config-files';
import { asRecord } from '../../domain/json-value';
import { need } from './lock-graph';
import {
  asText,
  type Elsewhere,
  isPackage,
  type LockedPackage,
  type LockfileReading,
  resolvedOf,
  type LockNode,
  originOf,
} from './package-facts';

interface Block {
  /** `name@range` for each range that this version resolves. */
  wanted: string[];
  name: string;
  version: string;
  needs: string[];
  /** Where it comes from, when the lockfile says. */
  source?: string | undefined;
}

/**
 * Reads yarn.lock. Version 1 has blocks of `name@range, name@range:` with an indented `version "…"`; later versions
 * are YAML with `__metadata`.
 */
export function readYarnLock(path: string, text: string): LockfileReading {
  const blocks = /^__metadata:/m.test(text) ? berry(text) : classic(text);
  if (!blocks) return 'unreadable';
  const packages = blocks.map(({ wanted, name, version, source }): LockedPackage => ({
    ecosystem: 'npm',
    name,
    version,
    isDev: false,
    source,
    origin: originOfAll(wanted),
  }));
  const nodes = new Map<string, LockNode>();
  const byWanted = new Map<string, string>();
  for (const { wanted, name, version, needs } of blocks) {
    const key = wanted[0] ?? `${name}@${version}`;
    nodes.set(key, { name, version, needs });
    for (const one of wanted) byWanted.set(one, key);
  }
  const graph = { nodes, find: (one: string) => byWanted.get(one), roots: undefined };
  return { path, kind: 'yarn', ecosystem: 'npm', packages, resolved: resolvedBy(blocks, packages), graph };
}

/** One range of the registry is enough for a package of the registry. */
function originOfAll(wanted: readonly string[]): Elsewhere | undefined {
  const origins = wanted.map((one) => originOf(one.slice((nameOf(one) ?? '').length + 1)));
  return origins.includes(undefined) ? undefined : origins[0];
}

/** Versions by the name under which a manifest asks for them; an alias has another name than its package. */
function resolvedBy(blocks: readonly Block[], packages: readonly LockedPackage[]): Map<string, string[]> {
  const resolved = resolvedOf(packages);
  for (const { wanted, name, version } of blocks)
    for (const one of wanted) {
      const alias = nameOf(one);
      if (alias !== undefined && alias !== name) resolved.set(alias, [version]);
    }
  return resolved;
}

const ENTRY = /^ {4}("?)([^"\s]+)\1 "?([^"]*?)"?\s*$/;

function classic(text: string): Block[] | undefined {
  const lines = text.split(/\r?\n/);
  if (!text.includes('yarn lockfile') && !lines.some((line) => /^ {2}version:? "?[^"\s]+"?\s*$/.test(line)))
    return /^\s*(?:#[^\n]*\s*)*$/.test(text) ? [] : undefined;
  const blocks: Block[] = [];
  let wanted: string[] = [];
  let block: Block | undefined;
  let inDependencies = false;
  for (const line of lines) {
    if (/^["@\w]/.test(line)) {
      wanted = headerOf(line);
      block = undefined;
    }
    const version = /^ {2}"?version"?:? "?([^"\s]+)"?\s*$/.exec(line)?.[1];
    const name = wanted[0] === undefined ? undefined : realNameOf(wanted[0]);
    if (version !== undefined && name !== undefined && isPackage(name, version)) {
      block = { wanted, name, version, needs: [] };
      blocks.push(block);
    }
    const source = /^ {2}resolved "?([^"\s]+)"?/.exec(line)?.[1];
    if (source !== undefined && block) block.source = source;
    if (/^ {2}\S/.test(line)) inDependencies = /^ {2}(?:dependencies|optionalDependencies):/.test(line);
    const entry = inDependencies ? ENTRY.exec(line) : null;
    if (entry?.[2] !== undefined && block) block.needs.push(need(entry[2].replace(/:$/, ''), entry[3] ?? ''));
  }
  return blocks;
}

/** Splits `a@^1, "b@>=1, <2":`; quotes protect ranges. */
function headerOf(line: string): string[] {
  const header = line.replace(/:\s*$/, '');
  const parts = header.includes('"') ? [...header.matchAll(/"([^"]*)"|([^",\s][^",]*)/g)].map((m) => m[1] ?? m[2] ?? '') : header.split(/,\s*/); // prettier-ignore
  return parts.flatMap((part) => (part.trim() === '' ? [] : part.split(/,\s*(?=@?[\w.-]+(?:\/[\w.-]+)?@)/))).map((part) => part.trim()); // prettier-ignore
}

function berry(text: string): Block[] | undefined {
  const document = parseYaml(text);
  if (document === undefined) return undefined;
  return Object.entries(asRecord(document)).flatMap(([descriptors, given]): Block[] => {
    const entry = asRecord(given);
    const resolution = asText(entry.resolution) ?? descriptors;
    const name = nameOf(resolution);
    const version = asText(entry.version);
    const isRoot = resolution.endsWith('@workspace:.');
    if (isRoot || version === undefined || name === undefined || !isPackage(name, version)) return [];
    const wanted = headerOf(descriptors).map((one) =>
      need(nameOf(one) ?? one, one.slice((nameOf(one) ?? '').length + 1)),
    );
    const needs = ['dependencies', 'optionalDependencies'].flatMap((group) =>
      Object.entries(asRecord(entry[group])).map(([key, range]) => need(key, asText(range) ?? '')),
    );
    return [{ wanted, name, version, needs }];
  });
}

/** `@scope/name@^1` → `@scope/name`. */
function nameOf(descriptor: string): string | undefined {
  return /^(@?[^@\s"]+)@/.exec(descriptor)?.[1];
}

/** The name of the package; for an alias `other@npm:name@^1` that of the aliased package. */
function realNameOf(descriptor: string): string | undefined {
  return (
    /@npm:(@?[^@\s"]+)@/.exec(descriptor)?.[1] ??
    nameOf(descriptor) ??
    (/^@?[\w./-]+$/.test(descriptor) ? descriptor : undefined)
  );
}
