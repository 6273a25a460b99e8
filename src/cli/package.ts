import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram } from './program';
import { API_GROUPS } from './verb-groups';

/**
 * The command of `@agent-marketplace/cli`: `npm run pack:cli` bundles this file. `package.json` is one folder above.
 */
const file = join(__dirname, '..', 'package.json');
const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
void createProgram({ version, groups: API_GROUPS, words: process.argv.slice(2) }).then((program) =>
  program.parseAsync(),
);
