import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'data/common-passwords/common-passwords.txt';
let common: ReadonlySet<string> | undefined;

/**
 * True for the 10,000 most common passwords of at least 8 characters (data/README.md), in any letter case. Shorter
 * passwords are not in the list.
 */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readList().toLowerCase().split('\n').filter(Boolean));
  return common.has(password.normalize('NFKC').toLowerCase());
}

/** Reads the list beside the compiled code, where the build copies it, or from the sources. */
function readList(): string {
  const beside = join(__dirname, FILE);
  return readFileSync(existsSync(beside) ? beside : join(__dirname, '../../../src/kit/crypto', FILE), 'utf8');
}
