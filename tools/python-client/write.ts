/** Part of `npm run openapi`: writes the generated modules of the Python client. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonClientFiles } from './files';

for (const [file, source] of Object.entries(pythonClientFiles())) {
  writeFileSync(join(__dirname, '../..', file), source);
  console.log(file);
}
