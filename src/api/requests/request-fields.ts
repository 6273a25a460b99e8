/**
 * The fields of a request in its query and its headers, and refusals that name every wrong field. A call has fields in
 * its body, in headers and in the agent's own input; whatever finds the first wrong one, the answer lists the others
 * too.
 */
import { ACCEPTANCE_RULE } from '../../domain/calls/acceptance';
import { MAX_COST_CREDITS } from '../../domain/calls/cost-ceiling';
import { Kind, type TObject, type TSchema } from '@sinclair/typebox';
import type { Request } from 'express';
import type { Operation } from '../../contract/operation';
import { type FieldProblem, MarketError } from '../../domain/errors';
import {
  type CallMetadata,
  isMetadata,
  isSameMetadata,
  METADATA_RULE,
} from '../../domain/calls/call-metadata';
import { type PresentedMandate, readPresented } from '../../domain/mandates/mandate';
import { isQuoteId, type NamedQuote, QUOTE_ID_RULE } from '../../domain/prices/quote';
import { parseStrictJson } from '../../kit/json/strict-json';
import { type CallAcceptance, readAcceptance } from '../../services/calls/answers/acceptance';

/**
 * The refusal of one header. Alone it is 400 `invalid_header`; beside other wrong fields it is one of their problems.
 */
export function invalidHeader(name: string, message: string): MarketError {
  const detail = [{ loc: ['header', name], msg: message, type: 'invalid_header' }];
  return new MarketError('invalid_header', { message, detail });
}

/** Moves problems of the input to the body, for operations whose body is the agent's input. */
export function withBodyPaths(error: MarketError): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const { message, detail, invocationId } = error;
  return new MarketError(error.code, { message, detail: detail?.map(inBody), invocationId });
}

/** A problem of the input, in an operation whose body is the input. */
export function inBody(problem: FieldProblem): FieldProblem {
  const [, , ...path] = problem.loc;
  return { ...problem, loc: ['body', ...path] };
}

/** Adds problems to a list, except those of fields that it has. */
export function withOthers(
  problems: readonly FieldProblem[],
  others: readonly FieldProblem[],
): FieldProblem[] {
  const known = new Set(problems.map(({ loc }) => JSON.stringify(loc)));
  return [...problems, ...others.filter(({ loc }) => !known.has(JSON.stringify(loc)))];
}

type Readers = Readonly<Record<string, () => unknown>>;
type Values<T extends Readers> = { [K in keyof T]: ReturnType<T[K]> };

/**
 * Reads fields that can be wrong independently of each other. `others` finds what else is wrong, and is called only
 * when a reader refused. One problem is thrown as its reader threw it; several as one `validation_failed`. An error
 * that names no field is thrown if there are no problems.
 */
export async function readEvery<T extends Readers>(
  readers: T,
  others: () => Promise<readonly FieldProblem[]>,
): Promise<Values<T>> {
  const values: Record<string, unknown> = {};
  const errors: unknown[] = [];
  for (const [name, read] of Object.entries(readers)) {
    try {
      values[name] = read();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 0) return values as Values<T>;
  const refusals = errors.filter((error) => error instanceof MarketError && error.detail !== undefined);
  const own = refusals.flatMap((error) => (error as MarketError).detail ?? []);
  if (own.length === 0) throw errors[0];
  const detail = withOthers(own, await others());
  if (detail.length === 1) throw refusals[0];
  throw new MarketError(refusals.every(isOfInput) ? 'input_schema_mismatch' : 'validation_failed', {
    detail,
  });
}

function isOfInput(error: unknown): boolean {
  return error instanceof MarketError && error.code === 'input_schema_mismatch';
}

/** An error in sentences, for protocols whose errors have no list of fields: one for each of several problems. */
export function sentenceOf({ message, detail = [] }: MarketError): string {
  if (detail.length < 2) return message;
  const sentences = detail.map(({ loc, msg }) => {
    const path = loc[0] === 'body' ? loc.slice(1) : loc;
    return msg.endsWith('.') ? msg : `${path.join('.')} ${msg}.`;
  });
  return sentences.join(' ');
}

const DECIMAL = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?$/;

/**
 * Converts query parameters to the types of the schema: decimal numbers, `true` and `false`, and arrays for repeatable
 * fields. Other values stay text, so that the schema refuses them. Unknown fields are problems, except for public
 * operations without a declared query.
 */
export function readQuery(
  schema: TObject | undefined,
  isPublic: boolean,
  query: Record<string, unknown>,
): { value: Record<string, unknown>; problems: FieldProblem[] } {
  if (!schema)
    return { value: {}, problems: isPublic ? [] : Object.keys(query).slice(0, 100).map(unknownField) };
  const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, raw] of Object.entries(query)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    value[name] = property ? coerce(property, raw) : raw;
  }
  return { value, problems: [] };
}

function unknownField(name: string): FieldProblem {
  return { loc: ['query', name.slice(0, 80)], msg: 'is not a known field', type: 'unknown_field' };
}

function coerce(schema: TSchema, raw: unknown): unknown {
  if (schema[Kind] === 'Array') {
    const items = schema['items'] as TSchema;
    return (Array.isArray(raw) ? raw : [raw]).map((item: unknown) => coerce(items, item));
  }
  if (typeof raw !== 'string') return raw;
  const { type } = schema as { type?: string };
  if ((type === 'integer' || type === 'number') && DECIMAL.test(raw)) return Number(raw);
  if (type === 'boolean' && (raw === 'true' || raw === 'false')) return raw === 'true';
  return raw;
}

/** A string of RFC 9651 with parameters, which have no meaning here. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"[ \t]*(?:;[\x20-\x7e]*)?$/;

/**
 * The idempotency key from body or header; both are allowed if they are equal. `"k"` in the header, as its draft
 * standard writes it, is the same key as `k`. Throws `invalid_header`.
 */
export function idempotencyKeyOf(req: Request, fromBody: string | undefined): string | undefined {
  const header = req.get('idempotency-key');
  if (header === undefined) return fromBody;
  const fromHeader = unquoted(header);
  if (fromHeader === undefined || !/^[\x20-\x7e]{1,255}$/.test(fromHeader)) {
    throw invalidHeader(
      'Idempotency-Key',
      'Idempotency-Key takes 1 to 255 visible ASCII characters, with or without double quotes around them.',
    );
  }
  if (fromBody !== undefined && fromHeader !== fromBody) {
    throw invalidHeader('Idempotency-Key', 'Idempotency-Key and idempotency_key differ.');
  }
  return fromHeader;
}

/** The key in the value of a header; undefined if it is malformed. */
function unquoted(header: string): string | undefined {
  if (header.startsWith('"')) return QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  return header.includes(' ') ? undefined : header;
}

/**
 * Adds an invalid `Idempotency-Key` to the problems of a body, so that a 422 names every invalid place. Alone, it is an
 * `invalid_header`.
 */
export function withHeaderProblems(
  error: unknown,
  { headers }: Pick<Operation, 'headers'>,
  req: Request,
): unknown {
  if (
    !(error instanceof MarketError) ||
    error.code !== 'validation_failed' ||
    !headers?.properties['Idempotency-Key']
  )
    return error;
  try {
    idempotencyKeyOf(req, undefined);
    return error;
  } catch (refusal) {
    if (!(refusal instanceof MarketError)) return error;
    const detail = [...(error.detail ?? []), ...(refusal.detail ?? [])];
    return new MarketError(error.code, { message: error.message, detail });
  }
}

/**
 * The cost ceiling of a call from its message or from `X-Max-Cost-Credits`; both are allowed if they are equal. Throws
 * `invalid_header`.
 */
export function maxCostOf(req: Request, fromMessage: number | undefined): number | null {
  const header = req.get('x-max-cost-credits');
  if (header === undefined) return fromMessage ?? null;
  const credits = /^\d{1,10}$/.test(header) ? Number(header) : Infinity;
  if (credits > MAX_COST_CREDITS) {
    throw invalidHeader(
      'X-Max-Cost-Credits',
      `X-Max-Cost-Credits takes a whole number from 0 to ${MAX_COST_CREDITS}.`,
    );
  }
  if (fromMessage !== undefined && fromMessage !== credits) {
    throw invalidHeader('X-Max-Cost-Credits', 'X-Max-Cost-Credits and max_cost_credits differ.');
  }
  return credits;
}

/** The quote that a body names. */
export const quoteInBody = (id: string | undefined): NamedQuote | undefined =>
  id === undefined ? undefined : { id, loc: ['body', 'quote_id'] };

/** The quote that the message or `X-Quote-Id` names; both are allowed if they are equal. Throws `invalid_header`. */
export function quoteOf(req: Request, fromMessage: NamedQuote | undefined): NamedQuote | undefined {
  const id = req.get('x-quote-id');
  if (id === undefined) return fromMessage;
  if (!isQuoteId(id)) throw invalidHeader('X-Quote-Id', `X-Quote-Id ${QUOTE_ID_RULE}`);
  if (fromMessage !== undefined && fromMessage.id !== id)
    throw invalidHeader('X-Quote-Id', 'X-Quote-Id and the quote of the message differ.');
  return { id, loc: ['header', 'X-Quote-Id'] };
}

/**
 * The metadata of a call from its message or from `X-Metadata`, a JSON object; both are allowed if they are equal.
 * Throws `invalid_header`.
 */
export function metadataOf(req: Request, fromMessage: CallMetadata | undefined): CallMetadata | undefined {
  const header = req.get('x-metadata');
  if (header === undefined) return fromMessage;
  const metadata = objectIn(Buffer.from(header, 'latin1'));
  if (!isMetadata(metadata)) throw invalidHeader('X-Metadata', `X-Metadata ${METADATA_RULE}, as JSON.`);
  if (fromMessage !== undefined && !isSameMetadata(fromMessage, metadata)) {
    throw invalidHeader('X-Metadata', 'X-Metadata and the metadata of the message differ.');
  }
  return metadata;
}

/**
 * The tests of a call from its message or from `X-Acceptance`, a JSON object; both are allowed if they are equal.
 * `given` is untrusted. Throws `validation_failed`, `invalid_header`.
 */
export function acceptOf(req: Request, given: unknown, loc: readonly string[]): CallAcceptance | undefined {
  const fromMessage = readAcceptance(given, loc);
  const header = req.get('x-acceptance');
  if (header === undefined) return fromMessage;
  const value = objectIn(Buffer.from(header, 'latin1'));
  if (value === undefined) throw invalidHeader('X-Acceptance', `X-Acceptance ${ACCEPTANCE_RULE}, as JSON.`);
  const accept = readAcceptance(value, ['header', 'X-Acceptance']);
  if (fromMessage !== undefined && fromMessage.sha256 !== accept?.sha256)
    throw invalidHeader('X-Acceptance', 'X-Acceptance and the tests of the message differ.');
  return accept;
}

/** The value of strict JSON; undefined for other bytes. */
function objectIn(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes).value;
  } catch {
    return undefined;
  }
}

/**
 * Reads the mandate from `X-Mandate`, for requests whose body is the agent's input: the mandate object as JSON in
 * base64url. Throws `invalid_header` for other text, `mandate_invalid` for other objects.
 */
export function mandateFromHeader(req: Request): PresentedMandate | undefined {
  const header = req.get('x-mandate');
  if (header === undefined) return undefined;
  return readPresented(parseObject(header));
}

function parseObject(header: string): unknown {
  // The message of the parser would mention a body.
  const value = /^[A-Za-z0-9_-]+$/.test(header) ? objectIn(Buffer.from(header, 'base64url')) : undefined;
  if (value !== undefined) return value;
  throw invalidHeader('X-Mandate', 'X-Mandate takes a JSON object in base64url.');
}
