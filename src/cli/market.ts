import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AddVerbs } from './command-line';
import { EXIT } from './failure';
import { accountVerbs } from './verbs/account';
import { advisoryVerbs } from './verbs/advisories';
import { chatVerbs } from './verbs/chat';
import { evidenceVerbs } from './verbs/evidence';
import { invokeVerbs } from './verbs/invoke';
import { keyVerbs } from './verbs/keys';
import { ledgerVerbs } from './verbs/ledger';
import { listingVerbs } from './verbs/listings';
import { operatorVerbs } from './verbs/operator';
import { publishVerbs } from './verbs/publish';
import { slashVerbs } from './verbs/slashes';
import { timeTravelVerbs } from './verbs/time-travel';
import { trustVerbs } from './verbs/trust';
import { validateVerbs } from './verbs/validate';
import { verificationVerbs } from './verbs/verification';

/** Every group of verbs, one line each, as `market --help` shows them. */
const VERBS: readonly AddVerbs[] = [
  accountVerbs,
  validateVerbs,
  publishVerbs,
  listingVerbs,
  trustVerbs,
  invokeVerbs,
  chatVerbs,
  keyVerbs,
  ledgerVerbs,
  advisoryVerbs,
  verificationVerbs,
  evidenceVerbs,
  operatorVerbs,
  slashVerbs,
  timeTravelVerbs,
];

/**
 * The command `market` (docs/cli.md): for developers and buyers, over the API of a marketplace; and for those who run
 * one, on the settings of the environment, or else on the stack that runs here (`.market`). Exit 0: done; another
 * number (`failure.ts`): not, and why is on standard error.
 */
export function createProgram(): Command {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const program = new Command('market')
    .description(
      'Publishes, finds and calls agents of the marketplace, over its API. Verbs for operators (keys, ledger, evidence, ' +
        'operator) work on DATABASE_URL or the stack that runs here.',
    )
    .version(version)
    .option('--json', 'print the result as JSON')
    .option(
      '--api <url>',
      'the marketplace; default: MARKET_API_URL, that of the last login, or the stack here',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError()
    .addHelpText(
      'after',
      `
Examples:
  market login --demo developer      logs in at the stack that runs here
  market publish my-agent            checks, packs and publishes a folder, follows its verification
  market invoke unit-converter '{"quantity": "26.2 mi", "to": "km"}'
  market keys status                 which master keys encrypt what
  market keys rotate --json          moves everything onto the newest master key
  market ledger check                proves the ledger
  market operator grant ada@example.org`,
    );
  for (const add of VERBS) add(program);
  return program;
}

if (require.main === module) void createProgram().parseAsync();
