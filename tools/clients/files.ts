import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpStatus } from '../../src/api/answers/http-status';
import { openapiDocument } from '../../src/contract/openapi';
import { operations } from '../../src/contract/operations';
import type { Document } from './document';
import { ASYNCHRONOUS, BLOCKING, operationsSource } from './operations';
import { PythonTypes } from './types';

export const ROOT = join(__dirname, '../..');
const FOLDER = 'packages/python/agent_marketplace';

/** The generated modules of the Python client, by their paths from the root of the clone. */
export function pythonClientFiles(): Record<string, string> {
  const document = openapiDocument(operations, { version: '0', statusOf: httpStatus }) as unknown as Document;
  const types = new PythonTypes(document);
  return {
    [`${FOLDER}/types.py`]: types.source(),
    [`${FOLDER}/operations.py`]: operationsSource(document, types, BLOCKING),
    [`${FOLDER}/async_operations.py`]: operationsSource(document, types, ASYNCHRONOUS),
  };
}

/** The generated module of the TypeScript client, by its path from the root of the clone. */
export function typescriptClientFiles(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'market-clients-'));
  try {
    const [document, types] = [join(folder, 'openapi.json'), join(folder, 'types.d.ts')];
    writeFileSync(
      document,
      JSON.stringify(openapiDocument(operations, { version: '0', statusOf: httpStatus })),
    );
    const tool = join(ROOT, 'packages/client/node_modules/openapi-typescript/bin/cli.js');
    const args = [tool, document, '-o', types, '--default-non-nullable', 'false'];
    execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    return { 'packages/client/src/api-types.d.ts': readFileSync(types, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
