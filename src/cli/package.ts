import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram } from './program';
import { CLONE_ONLY } from './verbs/clone-only';
import { API_GROUPS } from './verb-groups';

/**
 * The command of `@agent-marketplace/cli`: `npm run pack:cli` bundles this file. `package.json` is one folder above.
 */
const file = join(__dirname, '..', 'package.json');
const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
const groups = [...API_GROUPS, CLONE_ONLY];
void createProgram({ version, groups, words: process.argv.slice(2) }).then((program) => program.parseAsync());
