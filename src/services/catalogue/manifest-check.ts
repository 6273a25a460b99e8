import type { FieldProblem } from '../../domain/errors';
import { MarketError } from '../../domain/errors';
import { crossFieldProblems, MANIFEST_LIMITS } from '../../domain/catalogue/manifest';
import type { EgressPolicy } from '../../egress/policy';
import { checkUrl, urlProblem } from '../../egress/url-rules';
import { sha256Hex } from '../../kit/json/canonical-json';
import { identityProblems } from './cards/chain-identities';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { Check } from '../../kit/schemas/validator';
import { asRecord, isRecord } from '../../domain/json-value';

export interface ManifestCheckDeps {
  /** Checks each field of the manifest (`contract/manifest.ts`). The `loc` of its problems begins with `manifest`. */
  checkDocument: Check;
  schemas: SchemaRules;
  policy: EgressPolicy;
}

/** Admits schemas, and checks values against admitted ones. */
export type SchemaRules = Pick<SchemaPool, 'admit' | 'validate'>;

/** Far above two schemas of 64 KiB and all other fields at their maximum lengths. */
const MAX_MANIFEST_LENGTH = 262_144;
const SCHEMA_FIELDS = ['input_schema', 'output_schema'] as const;

/**
 * Finds all problems of a manifest, so that one 422 response lists every invalid field: problems of single fields,
 * across fields, of the endpoint's URL, and of the schemas. `loc` is relative to the manifest.
 * `developer`: whose turn among the developers the check of the schemas uses.
 */
export async function manifestProblems(
  deps: ManifestCheckDeps,
  manifest: Record<string, unknown>,
  developer: string,
): Promise<FieldProblem[]> {
  if (JSON.stringify(manifest).length > MAX_MANIFEST_LENGTH) {
    return [{ loc: [], msg: `must be at most ${MAX_MANIFEST_LENGTH} characters of JSON`, type: 'max_bytes' }];
  }
  const document = deps.checkDocument(manifest).map((problem) => ({ ...problem, loc: problem.loc.slice(1) }));
  return [
    ...document,
    ...crossFieldProblems(manifest),
    ...urlProblems(manifest, deps.policy),
    ...identityProblems(manifest),
    ...(await schemaProblems(manifest, deps.schemas, developer)),
  ];
}

/** The 422 error for problems. Its code is `unsafe_url` or `unsafe_schema` if all problems are of that type. */
export function refusalOf(problems: FieldProblem[]): MarketError {
  const kinds = new Set(
    problems.map(({ type }) => (type === 'unsafe_url' || type === 'unsafe_schema' ? type : 'other')),
  );
  const code = kinds.has('other')
    ? 'validation_failed'
    : kinds.has('unsafe_url')
      ? 'unsafe_url'
      : 'unsafe_schema';
  const message = code === 'unsafe_url' ? problems[0]?.msg : undefined;
  return new MarketError(code, { message, detail: problems });
}

function urlProblems(manifest: Record<string, unknown>, policy: EgressPolicy): FieldProblem[] {
  const { url } = asRecord(manifest.endpoint);
  if (typeof url !== 'string' || url === '') return [];
  const verdict = checkUrl(url, policy);
  return verdict.ok ? [] : [urlProblem(['endpoint', 'url'], verdict.rule)];
}

/**
 * Problems of the two schemas, and of the examples, which must match them. `loc` is relative to the document. Of an
 * example whose output is a `subset` of the answer, the input alone is checked.
 */
export async function schemaProblems(
  manifest: Record<string, unknown>,
  schemas: SchemaRules,
  developer: string,
): Promise<FieldProblem[]> {
  const checks = SCHEMA_FIELDS.map(async (field) => {
    const schema = manifest[field];
    if (!isRecord(schema)) return [];
    const problems = await schemas.admit(schema, developer);
    return problems.map((problem) => ({ ...problem, loc: [field, ...problem.loc] }));
  });
  const problems = (await Promise.all(checks)).flat();
  return problems.length > 0 ? problems : exampleProblems(manifest, schemas);
}

/** How many problems of one value are reported. */
const MOST_OF_ONE_VALUE = 5;

async function exampleProblems(
  manifest: Record<string, unknown>,
  schemas: SchemaRules,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = [];
  const examples = Array.isArray(manifest.examples) ? (manifest.examples as unknown[]) : [];
  for (const [index, each] of examples.slice(0, MANIFEST_LIMITS.examples).entries()) {
    const example = asRecord(each);
    for (const side of ['input', 'output'] as const) {
      const schema = manifest[`${side}_schema`];
      if (!isRecord(schema) || !(side in example)) continue;
      if (side === 'output' && example.match === 'subset') continue;
      const text = JSON.stringify(schema);
      const verdict = await schemas.validate(sha256Hex(text), text, JSON.stringify(example[side]));
      if (verdict.valid) continue;
      problems.push(
        ...verdict.problems.slice(0, MOST_OF_ONE_VALUE).map(({ loc, msg }) => ({
          loc: ['examples', index, side, ...loc],
          msg: `${msg}, by ${side}_schema`,
          type: 'example_mismatch',
        })),
      );
    }
  }
  return problems;
}
