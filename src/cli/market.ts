import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AddVerbs } from './command-line';
import { evidenceVerbs } from './verbs/evidence';
import { keyVerbs } from './verbs/keys';
import { ledgerVerbs } from './verbs/ledger';
import { operatorVerbs } from './verbs/operator';

/** Every group of verbs, one line each. */
const VERBS: readonly AddVerbs[] = [keyVerbs, ledgerVerbs, evidenceVerbs, operatorVerbs];

/**
 * The command `market`, for those who run the service. Verbs work on the settings of the environment, or else on the
 * stack that runs here (`.market`). Exit 0: done; another number: not, and why is on standard error.
 */
export function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const program = new Command('market')
    .description(
      'Runs errands of the marketplace: for operators, on DATABASE_URL or the stack that runs here.',
    )
    .version(version)
    .option('--json', 'print the result as JSON')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError()
    .addHelpText(
      'after',
      `
Examples:
  market keys status                 which master keys encrypt what
  market keys rotate --json          moves everything onto the newest master key
  market ledger check                proves the ledger
  market operator grant ada@example.org`,
    );
  for (const add of VERBS) add(program);
  return program;
}

if (require.main === module) void createProgram().parseAsync();
