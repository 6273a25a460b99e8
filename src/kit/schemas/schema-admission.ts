/**
 * Decides which untrusted JSON Schemas may be compiled (security reference §3 "Schema admission", §4.1). An admitted
 * schema has a bounded size and depth, references no other document, cannot recurse on the same value, and cannot
 * multiply its own work by more than 10^4 through `$ref`. Costs that these rules cannot detect (a recursive schema
 * that multiplies with the depth of the value, quadratic `uniqueItems`) are bounded by the worker's deadline.
 *
 * Pure, and linear in the size of the schema.
 */
import type { FieldProblem } from '../../domain/errors';
import { visitSchema, type SchemaNode, type VisitedSchema } from './schema-walk';
import { asRecord, isRecord } from '../../domain/json-value';

export const SCHEMA_LIMITS = { bytes: 65_536, depth: 32, subschemas: 2_000, refExpansions: 10_000 } as const;

const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const REFUSED_KEYWORDS = ['$async', '$recursiveRef', '$recursiveAnchor', '$vocabulary', 'id'];
/** Keywords whose values are data, in which `$data` has no meaning. */
const ANNOTATIONS = new Set([
  'const',
  'enum',
  'default',
  'example',
  'examples',
  'properties',
  '$defs',
  'definitions',
]);

export interface Admission {
  problems: FieldProblem[];
  /** All regular expressions of the schema, with their locations. */
  patterns: { loc: FieldProblem['loc']; pattern: string }[];
}

/**
 * Checks the structure of `schema`. The schema is admitted when there are no problems; `loc` is relative to the
 * schema.
 */
export function admitSchema(schema: unknown): Admission {
  const admission: Admission = { problems: [], patterns: [] };
  if (!isRecord(schema)) {
    admission.problems.push(problem([], 'a JSON Schema must be an object'));
    return admission;
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_LIMITS.bytes) {
    admission.problems.push(problem([], `must be at most ${SCHEMA_LIMITS.bytes} bytes of JSON`));
    return admission;
  }
  const visited = visitSchema(schema, SCHEMA_LIMITS);
  if (visited.tooDeep)
    admission.problems.push(
      problem(visited.tooDeep, `must not be nested deeper than ${SCHEMA_LIMITS.depth} levels`),
    );
  if (visited.tooMany)
    admission.problems.push(problem([], `must not have more than ${SCHEMA_LIMITS.subschemas} subschemas`));
  if (admission.problems.length > 0) return admission;
  for (const node of visited.nodes) checkNode(node, admission);
  for (const loc of visited.repeatedAnchors)
    admission.problems.push(
      problem(loc, 'is an anchor that another subschema has; references to it are ambiguous'),
    );
  resolveRefs(visited, admission.problems);
  if (admission.problems.length === 0) checkWork(visited, admission.problems);
  return admission;
}

function problem(loc: FieldProblem['loc'], msg: string): FieldProblem {
  return { loc, msg, type: 'unsafe_schema' };
}

function checkNode(node: SchemaNode, { problems, patterns }: Admission): void {
  const { schema, loc } = node;
  const isRoot = loc.length === 0;
  for (const keyword of REFUSED_KEYWORDS) {
    if (Object.hasOwn(schema, keyword))
      problems.push(problem([...loc, keyword], `${keyword} is not allowed`));
  }
  if (
    Object.hasOwn(schema, '$schema') &&
    !(typeof schema.$schema === 'string' && DIALECT.test(schema.$schema))
  ) {
    problems.push(
      problem([...loc, '$schema'], 'must be draft 2020-12 (https://json-schema.org/draft/2020-12/schema)'),
    );
  }
  if (!isRoot && Object.hasOwn(schema, '$id')) {
    problems.push(problem([...loc, '$id'], '$id is allowed only at the top level'));
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (
      !ANNOTATIONS.has(keyword) &&
      typeof value === 'object' &&
      value !== null &&
      Object.hasOwn(value, '$data')
    ) {
      problems.push(problem([...loc, keyword, '$data'], '$data is not allowed'));
    }
  }
  if (typeof schema.pattern === 'string')
    patterns.push({ loc: [...loc, 'pattern'], pattern: schema.pattern });
  for (const pattern of Object.keys(asRecord(schema.patternProperties))) {
    patterns.push({ loc: [...loc, 'patternProperties', pattern], pattern });
  }
}

function resolveRefs(visited: VisitedSchema, problems: FieldProblem[]): void {
  for (const node of visited.nodes) {
    for (const keyword of ['$ref', '$dynamicRef']) {
      if (!Object.hasOwn(node.schema, keyword)) continue;
      const ref = node.schema[keyword];
      if (typeof ref !== 'string' || !ref.startsWith('#')) {
        problems.push(problem([...node.loc, keyword], `${keyword} must point into the same schema ("#…")`));
        continue;
      }
      const target = visited.find(ref);
      if (target) node.refs.push(target);
      else
        problems.push(
          problem([...node.loc, keyword], `${keyword} does not point to a subschema of this schema`),
        );
    }
  }
}

/** Refuses reference cycles on one value, and schemas whose references expand beyond the limit. */
function checkWork(visited: VisitedSchema, problems: FieldProblem[]): void {
  const circle = findCircle(visited.nodes);
  if (circle) {
    problems.push(problem(circle.loc, 'refers to itself for the same value, which would never end'));
    return;
  }
  const root = visited.nodes[0];
  if (root && countExpansions(root, new Map(), new Set()) > SCHEMA_LIMITS.refExpansions) {
    problems.push(
      problem([], `its references expand to more than ${SCHEMA_LIMITS.refExpansions} subschemas`),
    );
  }
}

function findCircle(nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  const visit = (node: SchemaNode): SchemaNode | undefined => {
    if (open.has(node)) return node;
    if (done.has(node)) return undefined;
    open.add(node);
    for (const next of [...node.inPlace, ...node.refs]) {
      const circle = visit(next);
      if (circle) return circle;
    }
    open.delete(node);
    done.add(node);
    return undefined;
  };
  for (const node of nodes) {
    const circle = visit(node);
    if (circle) return circle;
  }
  return undefined;
}

/**
 * Number of references when the schema is expanded from `node`; recursion into parts of the value is followed once.
 */
function countExpansions(node: SchemaNode, known: Map<SchemaNode, number>, open: Set<SchemaNode>): number {
  const before = known.get(node);
  if (before !== undefined) return before;
  if (open.has(node)) return 0;
  open.add(node);
  let count = node.refs.length;
  for (const next of [...node.inPlace, ...node.consuming, ...node.refs])
    count += countExpansions(next, known, open);
  open.delete(node);
  count = Math.min(count, SCHEMA_LIMITS.refExpansions + 1);
  known.set(node, count);
  return count;
}
