import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { httpStatus } from '../api/answers/http-status';
import { openapiDocument } from '../contract/openapi';
import { operations } from '../contract/operations';

/** `npm run openapi [-- <file>]`: writes the OpenAPI document to `<file>`, by default `docs/openapi.json`. */
const root = join(__dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const file = process.argv[2] ?? join(root, 'docs', 'openapi.json');
const document = openapiDocument(operations, { version, statusOf: httpStatus });
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`${file}: ${operations.length} operations\n`);
