/**
 * Writes the generated files of both clients from the contract: the types of `packages/client` and two modules of
 * `packages/python`. tools/lib/clients.mjs runs it when they are missing or stale.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonClientFiles, ROOT, typescriptClientFiles } from './files';

for (const [file, source] of Object.entries({ ...typescriptClientFiles(), ...pythonClientFiles() })) {
  // A type check or a packer that runs at the same time reads the old file or the new one, never a part.
  const draft = join(ROOT, `${file}.${process.pid}`);
  writeFileSync(draft, source);
  renameSync(draft, join(ROOT, file));
  console.log(file);
}
