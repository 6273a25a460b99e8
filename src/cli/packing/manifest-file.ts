import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../contract/manifest';
import { MarketError, type FieldProblem } from '../../domain/errors';
import { createPolicy, type EgressPolicy } from '../../egress/policy';
import { inProcessSchemas } from '../../kit/schemas/in-process-schemas';
import { parseStrictJsonText } from '../../kit/json/strict-json';
import { compileCheck } from '../../kit/schemas/validator';
import { manifestProblems } from '../../services/catalogue/manifest-check';
import { usageFailure } from '../failure';
import { type FindPlace, placeAt, type Place, placesOf } from './json-places';
import { fixFor } from './manifest-fixes';
import { isRecord } from '../../domain/json-value';

/** A problem of a manifest: its position in the file, the message, and how to fix it. */
export interface ManifestProblem extends Place {
  /** Path of the field, such as `pricing.credits_per_call`; empty for the whole document. */
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
  /** In the order of the file. Empty if the manifest can be published. */
  problems: ManifestProblem[];
  /** Converts problems that the marketplace reported into the same form. */
  describe: (problems: readonly FieldProblem[]) => ManifestProblem[];
}

const checkDocument = compileCheck(Manifest, 'manifest');
/**
 * Reads `manifest.json` of a folder (or the given file) and finds all its problems with the validation rules of the
 * marketplace. Checks that need the marketplace, such as whether slug and version are free, run when publishing. Throws
 * `CliFailure` (exit 2) when the file cannot be read.
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
    { checkDocument, schemas: inProcessSchemas, policy: policyOf(options.local) },
    manifest,
    'local',
  );
  return { file, folder, manifest, problems: describe(found), describe };
}

/** Formats problems for people: one paragraph per problem, with line and fix, and the count at the end. */
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
    if (isRecord(value)) return { manifest: value };
    return broken({ line: 1, column: 1 }, 'must be a JSON object', 'write the manifest as { … }');
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    // strict-json puts reason and character offset into a message for request bodies
    const [, what = error.message, offset = '0'] = /: (.*) \(offset (\d+)\)\.$/s.exec(error.message) ?? [];
    return broken(placeAt(text, Number(offset)), `is not JSON: ${what}`, 'correct the JSON here');
  }
}

function withEndpoint(manifest: Record<string, unknown>, url: string | undefined): Record<string, unknown> {
  if (url === undefined) return manifest;
  return { ...manifest, endpoint: { ...(manifest['endpoint'] as object | undefined), url } };
}

/** EGRESS_ALLOW, else loopback for a local marketplace. The marketplace applies its own policy when publishing. */
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
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw usageFailure(
        `${file} does not exist: name the folder of an agent, or make one with market init <folder>`,
      );
    throw usageFailure(`${file} cannot be read: check its permissions`);
  }
}
