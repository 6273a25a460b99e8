import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contract/manifest';
import { MarketError, type FieldProblem } from '../../domain/errors';
import { createPolicy, type EgressPolicy } from '../../egress/policy';
import { checkSchema } from '../../kit/schemas/schema-compiler';
import { parseStrictJsonText } from '../../kit/json/strict-json';
import { compileCheck } from '../../kit/schemas/validator';
import { manifestProblems } from '../../services/catalogue/manifest-check';
import { usageFailure } from '../failure';
import { type FindPlace, placeAt, type Place, placesOf } from './json-places';
import { fixFor } from './manifest-fixes';

/** A problem of a manifest as its author needs it: where in the file, what, and what to do. */
export interface ManifestProblem extends Place {
  /** Such as `pricing.credits_per_call`; empty for the whole document. */
  path: string;
  message: string;
  type: string;
  fix: string;
}

export interface ManifestFile {
  file: string;
  /** The agent's folder. */
  folder: string;
  manifest: Record<string, unknown>;
  /** In the order of the file; empty: it can be published. */
  problems: ManifestProblem[];
  /** Problems that the marketplace found, told like our own. */
  describe: (problems: readonly FieldProblem[]) => ManifestProblem[];
}

const checkDocument = compileCheck(Manifest, 'manifest');
const admit = (schema: unknown) => Promise.resolve(checkSchema(schema));

/**
 * Reads the manifest of a folder (its `manifest.json`), or the file itself, and finds every problem at once, by the
 * very rules of the marketplace. What only it knows (whether slug and version are free) it says when publishing.
 */
export async function readManifestFile(
  path: string,
  options: { local: boolean; endpoint?: string | undefined },
): Promise<ManifestFile> {
  const file = isFolder(path) ? join(path, 'manifest.json') : path;
  const folder = isFolder(path) ? path : join(path, '..');
  const text = readText(file);
  const read = parse(text);
  if ('problem' in read) {
    return { file, folder, manifest: {}, problems: [read.problem], describe: () => [read.problem] };
  }
  const manifest = withEndpoint(read.manifest, options.endpoint);
  const findPlace = placesOf(text);
  const describe = (problems: readonly FieldProblem[]) => located(problems, manifest, findPlace);
  const found = await manifestProblems(
    { checkDocument, schemas: { admit }, policy: policyOf(options.local) },
    manifest,
  );
  return { file, folder, manifest, problems: describe(found), describe };
}

/** For people: one problem a paragraph, with line and fix. */
export function problemText(file: string, problems: readonly ManifestProblem[]): string {
  const lines = problems.map(
    ({ line, column, path, message, fix }) =>
      `${file}:${line}:${column}  ${[path, message].filter((part) => part !== '').join(' ')}\n    fix: ${fix}`,
  );
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [...lines, `${count}.`].join('\n');
}

function located(
  problems: readonly FieldProblem[],
  manifest: Record<string, unknown>,
  findPlace: FindPlace,
): ManifestProblem[] {
  return problems
    .map((problem) => ({
      ...findPlace(problem.loc),
      path: problem.loc.join('.'),
      message: problem.msg,
      type: problem.type,
      fix: fixFor(problem, manifest),
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

function parse(text: string): { manifest: Record<string, unknown> } | { problem: ManifestProblem } {
  const broken = (place: Place, message: string, fix: string) => ({
    problem: { ...place, path: '', message, type: 'malformed_json', fix },
  });
  try {
    const { value } = parseStrictJsonText(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { manifest: value as Record<string, unknown> };
    return broken({ line: 1, column: 1 }, 'must be an object', 'write the manifest as { … }');
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    // strict-json says what and at which character, for bodies of requests
    const [, what = error.message, offset = '0'] = /: (.*) \(offset (\d+)\)\.$/s.exec(error.message) ?? [];
    return broken(placeAt(text, Number(offset)), `is not JSON: ${what}`, 'correct the JSON here');
  }
}

function withEndpoint(manifest: Record<string, unknown>, url: string | undefined): Record<string, unknown> {
  if (url === undefined) return manifest;
  return { ...manifest, endpoint: { ...(manifest['endpoint'] as object | undefined), url } };
}

/** What a marketplace on this machine allows beyond public hosts is its own affair: it checks again. */
function policyOf(local: boolean): EgressPolicy {
  const allow = process.env['EGRESS_ALLOW'] ?? (local ? '127.0.0.0/8' : '');
  return createPolicy({ EGRESS_ALLOW: allow, EGRESS_DENY: '', PUBLIC_ORIGIN: 'https://market.invalid' });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageFailure(`${file} cannot be read`);
  }
}
