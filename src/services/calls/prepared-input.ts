import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { CheckedInput } from './agent/input-check';

/** The body for the agent, and its hash: of the canonical form for JSON, of the bytes for a verbatim body. */
export interface PreparedInput {
  body: Buffer;
  contentType: string;
  sha256: string;
  /** The verdict on a large input, which was validated where it was parsed. */
  checked?: CheckedInput;
}

/**
 * Prepares a JSON input. Blocks its thread in proportion to the input's size. `canonical` is its canonical form, where
 * the caller needs it too.
 */
export function prepareInput(input: unknown, canonical = canonicalJson(input)): PreparedInput {
  const body = Buffer.from(JSON.stringify(input));
  return { body, contentType: 'application/json', sha256: sha256Hex(canonical) };
}

/** Prepares a body that is passed on unchanged. */
export function prepareVerbatim(body: Buffer, contentType: string): PreparedInput {
  return { body, contentType, sha256: sha256Hex(body) };
}
