import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { DATABASE_GROUPS } from './database-groups';
import { createProgram as createProgramOf } from './program';
import { API_GROUPS } from './verb-groups';

const EXAMPLES = `
  market ledger check                verifies the ledger
  market keys rotate --json          re-encrypts everything with the newest master key
  market operator grant ada@example.org

The verbs of the last group use DATABASE_URL or TEMPORAL_ADDRESS, or else the local stack (.market).`;

/** The whole command, as a clone and the image have it. */
export function createProgram(words: readonly string[] = process.argv.slice(2)): Promise<Command> {
  const file = join(__dirname, '..', '..', 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return createProgramOf({ version, groups: [...API_GROUPS, ...DATABASE_GROUPS], words, examples: EXAMPLES });
}

if (require.main === module) void createProgram().then((program) => program.parseAsync());
