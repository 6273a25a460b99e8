/**
 * Which requests of MCP servers pass to the user of a client: forms whose schema the protocol allows, and that ask for
 * no secret (MCP, "Elicitation"). The answer would pass through the marketplace, so a form is no place for a password.
 */
import { isRecord } from '../json-value';
import { asksForSecret, schemaOfFieldProblems } from './question-fields';
import type { UnpassedProblem, UnpassedRequest } from './unpassed';

const MOST_FIELDS = 64;
const LONGEST_MESSAGE = 4_000;

const problem = (kind: UnpassedRequest, words: string): UnpassedProblem => ({ kind, words });

/** Why a request for input does not pass; undefined if it passes. */
export function requestProblem(request: unknown): UnpassedProblem | undefined {
  const { method, params } = isRecord(request) ? request : {};
  if (method === 'sampling/createMessage')
    return problem(
      'sampling',
      'The tool asks for a sample of a model (sampling), which the marketplace does not pass on.',
    );
  if (method === 'roots/list')
    return problem(
      'roots',
      'The tool asks for folders of its user (roots), which the marketplace does not pass on.',
    );
  if (method !== 'elicitation/create')
    return problem(
      'other',
      `The tool asks for ${String(method).slice(0, 100)}, which the marketplace does not pass on.`,
    );
  return formProblem(isRecord(params) ? params : {});
}

/** Why a form does not pass; undefined if it passes. */
export function formProblem({
  mode = 'form',
  message,
  requestedSchema,
}: Record<string, unknown>): UnpassedProblem | undefined {
  if (mode !== 'form')
    return problem(
      'page',
      `The tool asks its user to open a page (mode ${String(mode).slice(0, 50)}), which the marketplace does not pass on.`,
    );
  if (typeof message !== 'string' || message === '' || message.length > LONGEST_MESSAGE)
    return problem('form', `The form of the tool needs a message of 1 to ${LONGEST_MESSAGE} characters.`);
  const { type, properties } = isRecord(requestedSchema) ? requestedSchema : {};
  if (type !== 'object' || !isRecord(properties) || Object.keys(properties).length > MOST_FIELDS)
    return problem(
      'form',
      `The form of the tool needs a schema of type object with at most ${MOST_FIELDS} properties.`,
    );
  for (const [name, schema] of Object.entries(properties)) {
    const found = fieldProblemOf(name, schema);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fieldProblemOf(name: string, schema: unknown): UnpassedProblem | undefined {
  const shown = JSON.stringify(name.slice(0, 100));
  if (asksForSecret(name, schema))
    return problem(
      'secret',
      `The form of the tool asks for a secret (${shown}). Forms must not ask for secrets.`,
    );
  const [first] = isRecord(schema) && schema['type'] === 'array' ? listProblems(schema) : problemsOf(schema);
  return first === undefined
    ? undefined
    : problem('form', `The form of the tool has a field ${shown} that MCP does not allow: ${first}.`);
}

/** A text may also name a pattern. */
function problemsOf(schema: unknown): string[] {
  const { pattern, ...rest } = isRecord(schema) ? schema : {};
  if (pattern !== undefined && typeof pattern !== 'string') return ['pattern must be a text'];
  return schemaOfFieldProblems(isRecord(schema) ? rest : schema, []).map(
    ({ loc, msg }) => `${loc.join('.')} ${msg}`,
  );
}

const OF_LISTS: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'minItems',
  'maxItems',
  'items',
  'default',
]);

/** A choice of several: a list of texts, each of an `enum` or a titled one of `anyOf`. */
function listProblems(schema: Record<string, unknown>): string[] {
  const others = Object.keys(schema).filter((member) => !OF_LISTS.has(member));
  if (others.length > 0) return [`${others[0]} is not a member of a list`];
  const { enum: values, anyOf } = isRecord(schema['items']) ? schema['items'] : {};
  const isTexts = Array.isArray(values) && values.every((value) => typeof value === 'string');
  const isTitled =
    Array.isArray(anyOf) && anyOf.every((one) => isRecord(one) && typeof one['const'] === 'string');
  return isTexts || isTitled ? [] : ['its items must be texts of enum or anyOf'];
}
