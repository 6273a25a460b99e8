/** Readers for yarn.lock: version 1, and the YAML of later versions. */
import { asRecord, isRecord } from '../../domain/json-value';
import { need } from './lock-graph';
import { hasConflictMarks, parseYaml } from '../../kit/packages/config-files';
import {
  asText,
  createPackageList,
  createResolved,
  type Elsewhere,
  type LockfileReading,
  type LockNode,
  originOf,
} from './package-facts';

interface Block {
  /** `name@range` for each range that this version resolves. */
  wanted: string[];
  name: string | undefined;
  version: string | undefined;
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
  const list = createPackageList();
  const nodes = new Map<string, LockNode>();
  const byWanted = new Map<string, string>();
  const resolved = createResolved();
  for (const { wanted, name = '', version = '', needs, source } of blocks) {
    const origin = originOfAll(wanted);
    if (!list.add({ ecosystem: 'npm', name, version, isDev: false, source, origin })) continue;
    const key = wanted[0] ?? `${name}@${version}`;
    nodes.set(key, { name, version, needs });
    resolved.note(name, version);
    for (const one of wanted) {
      byWanted.set(one, key);
      // A manifest asks for an alias under another name than that of its package.
      const alias = nameOf(one);
      if (alias !== undefined && alias !== name) resolved.note(alias, version);
    }
  }
  const graph = { nodes, find: (one: string) => byWanted.get(one), roots: undefined };
  const { packages, unreadable } = list;
  return { path, kind: 'yarn', ecosystem: 'npm', packages, resolved: resolved.versions, unreadable, graph };
}

/** One range of the registry is enough for a package of the registry. */
function originOfAll(wanted: readonly string[]): Elsewhere | undefined {
  const origins = wanted.map((one) => originOf(one.slice((nameOf(one) ?? '').length + 1)));
  return origins.includes(undefined) ? undefined : origins[0];
}

/** `name "range"` or `name range` in a list of dependencies. */
const ENTRY = /^ {4}("?)([^"\s]+)\1 "?([^"]*)"?$/;
/** A line of the format: a header, a member, an entry of a member, a comment, or nothing. */
const LINE = /^(?:[^\s#].*:| {2}\S.*| {4}\S.*|\s*#.*|)$/;

function classic(text: string): Block[] | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  if (hasConflictMarks(text) || !lines.every((line) => LINE.test(line))) return undefined;
  if (!text.includes('yarn lockfile') && !lines.some((line) => /^ {2}version:? "?[^"\s]+"?$/.test(line)))
    return lines.every((line) => line === '' || /^\s*#/.test(line)) ? [] : undefined;
  const blocks: Block[] = [];
  let block: Block | undefined;
  let inDependencies = false;
  for (const line of lines) {
    if (/^[^\s#]/.test(line)) {
      const wanted = headerOf(line);
      block = { wanted, name: wanted[0] && realNameOf(wanted[0]), version: undefined, needs: [] };
      blocks.push(block);
    }
    if (!block) continue;
    block.version ??= /^ {2}"?version"?:? "?([^"\s]+)"?$/.exec(line)?.[1];
    block.source ??= /^ {2}resolved "?([^"\s]+)"?/.exec(line)?.[1];
    if (/^ {2}\S/.test(line)) inDependencies = /^ {2}(?:dependencies|optionalDependencies):/.test(line);
    const entry = inDependencies ? ENTRY.exec(line) : null;
    if (entry?.[2] !== undefined) block.needs.push(need(entry[2].replace(/:$/, ''), entry[3] ?? ''));
  }
  return blocks;
}

/** Splits `a@^1, "b@>=1, <2":`; quotes protect ranges. */
function headerOf(line: string): string[] {
  const header = line.replace(/:\s*$/, '');
  const parts = header.includes('"')
    ? [...header.matchAll(/"([^"]*)"|([^",\s][^",]*)/g)].map((m) => m[1] ?? m[2] ?? '')
    : header.split(/,\s*/);
  return parts
    .flatMap((part) => (part.trim() === '' ? [] : part.split(/,\s*(?=@?[\w.-]+(?:\/[\w.-]+)?@)/)))
    .map((part) => part.trim());
}

function berry(text: string): Block[] | undefined {
  const documents = parseYaml(text);
  if (documents === undefined || !documents.every(isRecord)) return undefined;
  return documents
    .flatMap((document) => Object.entries(document))
    .flatMap(([descriptors, given]): Block[] => {
      if (descriptors === '__metadata') return [];
      const entry = asRecord(given);
      const resolution = asText(entry.resolution) ?? descriptors;
      const name = nameOf(resolution);
      const version = asText(entry.version);
      const isRoot = resolution.endsWith('@workspace:.');
      if (isRoot) return [];
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
