import { httpStatus } from '../../src/api/answers/http-status';
import { openapiDocument } from '../../src/contract/openapi';
import { operations } from '../../src/contract/operations';
import type { ContractDocument } from './breaking-changes';

/** The contract that released clients know, from the root of the clone. */
export const RELEASED = 'packages/released-contract.json';

/** The contract as it is, without examples and descriptions, which break no client. */
export function currentContract(): ContractDocument {
  const document = openapiDocument(operations, { version: '0', statusOf: httpStatus });
  return withoutWords(document) as ContractDocument;
}

const WORDS = new Set(['description', 'summary', 'example', 'examples', 'tags', 'default']);

function withoutWords(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutWords(each));
  if (typeof value !== 'object' || value === null) return value;
  // Below `properties` and the like, a key is a name: a field may be called `description`.
  const kept = Object.entries(value).filter(([key]) => isNamed || !WORDS.has(key));
  const isMap = (key: string) =>
    !isNamed && ['properties', 'paths', 'responses', 'schemas', 'parameters'].includes(key);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutWords(each, isMap(key))]));
}
