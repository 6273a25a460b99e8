/** Measures how complete a manifest is, and finds hosts in the code that the manifest does not declare. */
import type { CompletenessFacts, UndeclaredHostFact } from '../../domain/evidence/evidence-facts';
import type { VersionDocument } from '../../domain/catalogue/manifest';
import { type BundleFiles, createLineCounter } from './bundle-files';
import type { SourceFile } from './source-file';
import { asArray } from '../packages/package-facts';
import { cut, gapsOf } from '../packages/supply-chain';
import { asRecord } from '../../domain/json-value';

/** The document of a version. Documents of registrations have no schemas. */
export type ScannedManifest = VersionDocument & {
  input_schema?: Record<string, unknown>;
  output_schema?: Record<string, unknown>;
};

const ADDRESS = /\b(?:https?|wss?):\/\/([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)/g;
/** Hosts that receive no data: documentation, the local machine, schema and licence references. */
const NO_RECEIVER =
  /(?:^|\.)(?:example\.(?:com|org|net)|localhost|schema\.org|w3\.org|json-schema\.org|spdx\.org|ietf\.org|opensource\.org|apache\.org|gnu\.org|github\.com|gitlab\.com|npmjs\.com|npmjs\.org|pypi\.org|python\.org|nodejs\.org|mozilla\.org|wikipedia\.org|readthedocs\.io|stackoverflow\.com)$|\.(?:example|test|invalid|local|localhost|internal)$/;
const COMMENT = /^\s*(?:\/\/|#|\*|\/\*|<!--)/;

/** Returns the facts of a manifest. `files` is undefined when the version has no bundle. */
export function completenessFacts(
  manifest: ScannedManifest,
  files: BundleFiles | undefined,
): CompletenessFacts {
  const { input_schema: input, output_schema: output } = manifest;
  const hasSchemas = input !== undefined && output !== undefined;
  const inputs = propertiesOf(input);
  const outputs = propertiesOf(output);
  const source =
    files?.texts.filter(({ isSource, isTest, isForeign }) => isSource && !isTest && !isForeign) ?? [];
  return {
    coverage: {
      wanted: 1,
      looked: hasSchemas ? 1 : 0,
      gaps: gapsOf({ no_manifest_schemas: hasSchemas ? 0 : 1 }),
    },
    descriptionLength: manifest.description.length,
    hasHomepage: manifest.homepage !== undefined,
    tags: manifest.tags.length,
    inputProperties: inputs.total,
    describedInputProperties: inputs.described,
    outputProperties: outputs.total,
    describedOutputProperties: outputs.described,
    inputExamples: Array.isArray(input?.examples) ? input.examples.length : 0,
    declaredSubprocessors: manifest.data_handling.subprocessors.length,
    hosts: {
      wanted: Math.max(source.length, 1),
      looked: source.length,
      gaps: gapsOf({ no_bundle: files ? 0 : 1, no_source: files && source.length === 0 ? 1 : 0 }),
    },
    undeclaredHosts: cut(undeclaredHosts(manifest, source)),
  };
}

/** Counts the properties at any depth, and those with a description or a title. */
function propertiesOf(schema: Record<string, unknown> | undefined): { total: number; described: number } {
  const count = { total: 0, described: 0 };
  const queue: unknown[] = [schema];
  for (let looked = 0; queue.length > 0 && looked < 10_000; looked += 1) {
    const one = asRecord(queue.pop());
    for (const property of Object.values(asRecord(one.properties))) {
      count.total += 1;
      const { description, title } = asRecord(property);
      if (typeof (description ?? title) === 'string') count.described += 1;
      queue.push(property);
    }
    if (one.items !== undefined) queue.push(one.items);
    queue.push(...asArray(one.allOf), ...asArray(one.anyOf), ...asArray(one.oneOf));
  }
  return count;
}

/** Lists each undeclared host once, at its first occurrence. */
function undeclaredHosts(manifest: ScannedManifest, source: readonly SourceFile[]): UndeclaredHostFact[] {
  const declared = [
    ...manifest.data_handling.subprocessors,
    manifest.homepage ?? '',
    manifest.endpoint.url,
  ].map((text) => text.toLowerCase());
  const found = new Map<string, UndeclaredHostFact>();
  const judged = new Map<string, boolean>();
  const isReported = (host: string): boolean => {
    const known = judged.get(host) ?? (isReceiver(host) && !isDeclared(host, declared));
    judged.set(host, known);
    return known;
  };
  for (const { path, text } of source) {
    const lineOf = createLineCounter(text);
    for (const match of text.matchAll(ADDRESS)) {
      const host = (match[1] ?? '').toLowerCase();
      const line = lineOf(match.index);
      if (found.has(host) || !isReported(host)) continue;
      if (COMMENT.test(lineAt(text, match.index))) continue;
      found.set(host, { host, path, line });
    }
  }
  return [...found.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
}

function isReceiver(host: string): boolean {
  return host.includes('.') && !/^[\d.]+$/.test(host) && !NO_RECEIVER.test(host);
}

/**
 * True when a subprocessor declares the host, by name or by host: `OpenAI` covers api.openai.com, `api.stripe.com`
 * covers itself and its subdomains.
 */
export function isDeclared(host: string, declared: readonly string[]): boolean {
  const labels = host.split('.');
  const names = labels.slice(0, -1).filter((label) => label.length > 3);
  return declared.some((text) => {
    const words = text.split(/[^a-z0-9.-]+/).filter((word) => word !== '');
    if (words.some((word) => word.includes('.') && (host === word || host.endsWith(`.${word}`)))) return true;
    const joined = words.filter((word) => !word.includes('.')).join('');
    return names.some((name) => words.includes(name) || joined === name);
  });
}

/** A comment that begins further before an address than this is not recognized. */
const LONGEST_LINE = 5_000;

function lineAt(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LONGEST_LINE), at);
  return before.slice(before.lastIndexOf('\n') + 1).slice(0, 200);
}
