import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Text of a file that others publish (data/README.md). It stands beside the compiled code, where the build puts it, or
 * in the sources when only the code was compiled.
 */
export function vendoredText(name: string): string {
  const beside = join(__dirname, 'data', name);
  const path = existsSync(beside) ? beside : join(__dirname, '../../src/verification/data', name);
  return readFileSync(path, 'utf8');
}
