import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';

/** The body for the agent, and its hash: of the canonical form for JSON, of the bytes for a verbatim body. */
export interface PreparedInput {
  body: Buffer;
  contentType: string;
  sha256: string;
}

/** Prepares a JSON input. Blocks its thread in proportion to the input's size. */
export function prepareInput(input: unknown): PreparedInput {
  const body = Buffer.from(JSON.stringify(input));
  return { body, contentType: 'application/json', sha256: sha256Hex(canonicalJson(input)) };
}

/** Prepares a body that is passed on unchanged. */
export function prepareVerbatim(body: Buffer, contentType: string): PreparedInput {
  return { body, contentType, sha256: sha256Hex(body) };
}
