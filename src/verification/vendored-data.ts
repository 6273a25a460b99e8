import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads a vendored data file (data/README.md): beside the compiled code, where the build copies it, or from the
 * sources.
 */
export function vendoredText(name: string): string {
  const beside = join(__dirname, 'data', name);
  const path = existsSync(beside) ? beside : join(__dirname, '../../src/verification/data', name);
  return readFileSync(path, 'utf8');
}
