/**
 * Which JSON Schemas of strangers may be compiled at all (security reference §3 "Schema admission", §4.1). A schema
 * that passes has a bounded size and depth, knows no other document, cannot send a validator in circles on one value,
 * and cannot multiply its own work by more than 10^4 through `$ref`. What these rules cannot see (a recursive schema
 * that multiplies with the depth of the value, quadratic `uniqueItems`) the worker's deadline ends.
 * Pure and linear in the size of the schema.
 */
import type { FieldProblem } from '../../domain/errors';
import { visitSchema, type SchemaNode, type VisitedSchema } from './schema-walk';

export const SCHEMA_LIMITS = { bytes: 65_536, depth: 32, subschemas: 2_000, refExpansions: 10_000 } as const;

const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const REFUSED_KEYWORDS = ['$async', '$recursiveRef', '$recursiveAnchor', '$vocabulary', 'id'];
/** Keywords whose values are data, not instructions: `$data` in them means nothing. */
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
  /** Every regular expression of the schema and where it stands. */
  patterns: { loc: FieldProblem['loc']; pattern: string }[];
}

/** Checks the structure of `schema`; an empty list of problems admits it. `loc` is relative to the schema. */
export function admitSchema(schema: unknown): Admission {
  const admission: Admission = { problems: [], patterns: [] };
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    admission.problems.push(problem([], 'a JSON Schema must be an object'));
    return admission;
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_LIMITS.bytes) {
    admission.problems.push(problem([], `must be at most ${SCHEMA_LIMITS.bytes} bytes of JSON`));
    return admission;
  }
  const visited = visitSchema(schema, SCHEMA_LIMITS);
  if (visited.tooDeep)
    admission.problems.push(problem(visited.tooDeep, `must not nest deeper than ${SCHEMA_LIMITS.depth}`));
  if (visited.tooMany)
    admission.problems.push(problem([], `must not hold more than ${SCHEMA_LIMITS.subschemas} subschemas`));
  if (admission.problems.length > 0) return admission;
  for (const node of visited.nodes) checkNode(node, admission);
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
      problem([...loc, '$schema'], 'only draft 2020-12 (https://json-schema.org/draft/2020-12/schema)'),
    );
  }
  if (!isRoot && Object.hasOwn(schema, '$id')) {
    problems.push(problem([...loc, '$id'], '$id is allowed at the top only'));
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
  for (const pattern of Object.keys(asObject(schema.patternProperties))) {
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
      else problems.push(problem([...node.loc, keyword], `${keyword} points at no subschema of this schema`));
    }
  }
}

/** No circle of references on one and the same value, and a bounded number of references in the unrolled schema. */
function checkWork(visited: VisitedSchema, problems: FieldProblem[]): void {
  const circle = findCircle(visited.nodes);
  if (circle) {
    problems.push(problem(circle.loc, 'refers to itself without consuming any of the value'));
    return;
  }
  const root = visited.nodes[0];
  if (root && countExpansions(root, new Map(), new Set()) > SCHEMA_LIMITS.refExpansions) {
    problems.push(
      problem([], `its references unroll to more than ${SCHEMA_LIMITS.refExpansions} subschemas`),
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

/** References followed when the schema is unrolled from `node`; recursion (which consumes value) is followed once. */
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

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
