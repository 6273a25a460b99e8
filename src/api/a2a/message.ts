/** Reads a message of the standard binding: the agent's input, the cost ceiling and the idempotency key. */
import type { Message } from '@a2a-js/sdk';
import { MAX_COST_CREDITS } from '../../contract/common';
import { textField } from '../../domain/a2a/a2a-card';
import { A2A_META } from '../../domain/a2a/a2a-wire';
import { MarketError } from '../../domain/errors';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { parseStrictJson } from '../../kit/json/strict-json';
import { isStorable } from '../../domain/storable';
import { isRecord } from '../../domain/json-value';

const MAX_KEY = 255;

export type Metadata = Record<string, unknown>;

/** The input: the only `data` part; or a text that is a JSON object, or that fills the agent's only required text. */
export function inputOf({ parts }: Message, version: ServingVersion): Record<string, unknown> {
  const contents = parts.map(({ content }) => content);
  if (contents.length === 0) throw malformed('The message has no parts.');
  if (contents.some((content) => content?.$case !== 'data' && content?.$case !== 'text')) {
    throw notSupported('This agent takes parts with data or text only.');
  }
  const data = contents.filter((content) => content?.$case === 'data');
  if (data.length > 1) throw malformed('The message has more than one data part.');
  if (data.length === 1) return requireObject(data[0]?.value);
  const text = contents.map((content) => String(content?.value ?? '')).join('\n');
  return fromText(text, version);
}

function fromText(text: string, version: ServingVersion): Record<string, unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return requireObject(parseStrictJson(Buffer.from(text)).value);
    } catch (error) {
      if (!(error instanceof MarketError)) throw error;
      // Text that merely looks like JSON is treated as text.
    }
  }
  const schema = version.inputSchema === null ? null : (JSON.parse(version.inputSchema) as unknown);
  const field = version.kind === 'mcp' ? undefined : textField(schema);
  if (field === undefined) throw notSupported('This agent takes one part with a JSON object as data.');
  return { [field]: text };
}

function requireObject(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw malformed('The data of the message is not an object.');
  return value;
}

/** The cost ceiling from the metadata of the message or the request. Throws `validation_failed`. */
export function ceilingIn(...places: (Metadata | undefined)[]): number | null {
  const value = firstOf(A2A_META.maxCostCredits, places);
  if (value === undefined) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COST_CREDITS)
    return value;
  throw malformed(`${A2A_META.maxCostCredits} takes an integer from 0 to ${MAX_COST_CREDITS}.`);
}

/** The idempotency key from the metadata of the message or the request. Throws `validation_failed`. */
export function keyIn(...places: (Metadata | undefined)[]): string | undefined {
  const value = firstOf(A2A_META.idempotencyKey, places);
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isName(value)) return value;
  throw malformed(`${A2A_META.idempotencyKey} takes text of 1 to ${MAX_KEY} characters.`);
}

/** Checks an id that the client chose, since it is stored and compared. Throws `validation_failed`. */
export function requireName(name: string, value: string): string {
  if (!isName(value)) throw malformed(`${name} takes text of 1 to ${MAX_KEY} characters.`);
  return value;
}

function firstOf(key: string, places: (Metadata | undefined)[]): unknown {
  return places.map((place) => place?.[key]).find((value) => value !== undefined);
}

function isName(text: string): boolean {
  return text.length >= 1 && text.length <= MAX_KEY && isStorable(text);
}

function malformed(message: string): MarketError {
  return new MarketError('validation_failed', { message, detail: [] });
}

function notSupported(message: string): MarketError {
  return new MarketError('unsupported_media_type', { message });
}
