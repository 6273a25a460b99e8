import type { FieldProblem } from '../../domain/errors';
import { MarketError } from '../../domain/errors';
import { crossFieldProblems } from '../../domain/catalogue/manifest';
import type { EgressPolicy } from '../../egress/policy';
import { checkUrl, urlProblem } from '../../egress/url-rules';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { Check } from '../../kit/schemas/validator';
import { asRecord, isRecord } from '../../domain/json-value';

export interface ManifestCheckDeps {
  /** Checks each field of the manifest (`contract/manifest.ts`). The `loc` of its problems begins with `manifest`. */
  checkDocument: Check;
  schemas: Pick<SchemaPool, 'admit'>;
  policy: EgressPolicy;
}

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

/** Problems of the two schemas. `loc` is relative to the document. */
export async function schemaProblems(
  manifest: Record<string, unknown>,
  schemas: Pick<SchemaPool, 'admit'>,
  developer: string,
): Promise<FieldProblem[]> {
  const checks = SCHEMA_FIELDS.map(async (field) => {
    const schema = manifest[field];
    if (!isRecord(schema)) return [];
    const problems = await schemas.admit(schema, developer);
    return problems.map((problem) => ({ ...problem, loc: [field, ...problem.loc] }));
  });
  return (await Promise.all(checks)).flat();
}
