import { httpStatus } from '../../src/api/answers/http-status';
import { openapiDocument } from '../../src/contract/openapi';
import { operations } from '../../src/contract/operations';
import type { Document } from './document';
import { operationsSource } from './operations';
import { PythonTypes } from './types';

const FOLDER = 'packages/python/agent_marketplace';

/** The generated modules of the Python client, by their paths from the root of the clone. */
export function pythonClientFiles(): Record<string, string> {
  const document = openapiDocument(operations, { version: '0', statusOf: httpStatus }) as unknown as Document;
  const types = new PythonTypes(document);
  const methods = operationsSource(document, types);
  return { [`${FOLDER}/types.py`]: types.source(), [`${FOLDER}/operations.py`]: methods };
}
