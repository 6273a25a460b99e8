import { isRecord } from '../json-value';

/** A session of the form that the service gives to agents, for checks of inputs before there is one. */
export const SAMPLE_SESSION = `ses_${'0'.repeat(32)}`;

/**
 * True if an agent's input may have `messages`, which every turn of a chat sends (contract, "Chat"). `inputSchema` is
 * JSON text, or null for an agent without schemas.
 */
export function chats(inputSchema: string | null): boolean {
  const schema: unknown = inputSchema === null ? null : JSON.parse(inputSchema);
  if (!isRecord(schema)) return schema !== false;
  const { properties, additionalProperties } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, 'messages')) return true;
  if (additionalProperties === false) return false;
  return !Array.isArray(schema['required']) || schema['required'].length === 0;
}
