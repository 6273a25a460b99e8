import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { AddVerbs } from './command-line';
import { EXIT } from './failure';

interface VerbGroup {
  /** The command words after `market` that this group adds, in order. */
  names: readonly string[];
  load: () => Promise<AddVerbs>;
}

/**
 * All groups of verbs, in the order of `market --help`. Only the groups whose words appear in the arguments are loaded:
 * loading the libraries of every group would cost half a second per start.
 */
const GROUPS: readonly VerbGroup[] = [
  { names: ['register'], load: async () => (await import('./verbs/register.js')).registerVerbs },
  {
    names: ['login', 'logout', 'whoami'],
    load: async () => (await import('./verbs/account.js')).accountVerbs,
  },
  {
    names: ['security', 'email', 'password', 'sessions', 'totp'],
    load: async () => (await import('./verbs/account-security.js')).accountSecurityVerbs,
  },
  { names: ['validate'], load: async () => (await import('./verbs/validate.js')).validateVerbs },
  { names: ['publish'], load: async () => (await import('./verbs/publish.js')).publishVerbs },
  { names: ['listings'], load: async () => (await import('./verbs/listings.js')).listingVerbs },
  { names: ['trust'], load: async () => (await import('./verbs/trust.js')).trustVerbs },
  { names: ['invoke'], load: async () => (await import('./verbs/invoke.js')).invokeVerbs },
  { names: ['chat'], load: async () => (await import('./verbs/chat.js')).chatVerbs },
  { names: ['balance'], load: async () => (await import('./verbs/balance.js')).balanceVerbs },
  {
    names: ['topup', 'pay-registration', 'invoices'],
    load: async () => (await import('./verbs/credits.js')).creditVerbs,
  },
  {
    names: ['invocations'],
    load: async () => (await import('./verbs/invocations.js')).invocationVerbs,
  },
  { names: ['api'], load: async () => (await import('./verbs/api.js')).apiVerbs },
  { names: ['api-keys'], load: async () => (await import('./verbs/api-keys.js')).apiKeyVerbs },
  { names: ['grants'], load: async () => (await import('./verbs/grants.js')).grantVerbs },
  { names: ['disputes'], load: async () => (await import('./verbs/disputes.js')).disputeVerbs },
  { names: ['webhooks'], load: async () => (await import('./verbs/webhooks.js')).webhookVerbs },
  { names: ['payouts'], load: async () => (await import('./verbs/payouts.js')).payoutVerbs },
  {
    names: ['payout-method', 'tax-form'],
    load: async () => (await import('./verbs/payout-method.js')).payoutMethodVerbs,
  },
  { names: ['keys'], load: async () => (await import('./verbs/keys.js')).keyVerbs },
  { names: ['ledger'], load: async () => (await import('./verbs/ledger.js')).ledgerVerbs },
  { names: ['advisories'], load: async () => (await import('./verbs/advisories.js')).advisoryVerbs },
  {
    names: ['verify', 'rubric'],
    load: async () => (await import('./verbs/verification.js')).verificationVerbs,
  },
  { names: ['verification'], load: async () => (await import('./verbs/contests.js')).contestVerbs },
  { names: ['evidence'], load: async () => (await import('./verbs/evidence.js')).evidenceVerbs },
  { names: ['operator'], load: async () => (await import('./verbs/operator.js')).operatorVerbs },
  { names: ['slashes'], load: async () => (await import('./verbs/slashes.js')).slashVerbs },
  { names: ['payments'], load: async () => (await import('./verbs/payments.js')).paymentVerbs },
  { names: ['agents', 'wallets'], load: async () => (await import('./verbs/standing.js')).standingVerbs },
  { names: ['fx'], load: async () => (await import('./verbs/fx.js')).fxVerbs },
  { names: ['time-travel'], load: async () => (await import('./verbs/time-travel.js')).timeTravelVerbs },
];

/**
 * Builds the `market` command (docs/cli.md). Developers and buyers use it over the API of a marketplace. Operators also
 * use it on a database directly: that of the environment settings, else that of the local stack (`.market`). Exit 0
 * means done; any other code (`failure.ts`) comes with the reason on standard error.
 */
export async function createProgram(words: readonly string[] = process.argv.slice(2)): Promise<Command> {
  const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const program = new Command('market')
    .description(
      'Publishes, finds and calls agents of the marketplace over its API. Some operator verbs (keys, ledger, ' +
        'evidence, operator) work directly on the database: DATABASE_URL, or that of the local stack.',
    )
    .version(version)
    .option('--json', 'print the result as JSON')
    .option(
      '--api <url>',
      'URL of the marketplace; default: MARKET_API_URL, the last login, or the local stack',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Run the command with --help to see its arguments and options.')
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `
Examples:
  market login --demo developer      logs in to the local stack
  market publish my-agent            checks, packs and publishes a folder, then follows its verification
  market invoke unit-converter '{"quantity": "26.2 mi", "to": "km"}'
  market balance                     prints your credits and your earnings
  market api-keys create --name app --scope agents:invoke
  market keys status                 counts the values that each master key encrypts
  market keys rotate --json          re-encrypts everything with the newest master key
  market ledger check                verifies the ledger
  market operator grant ada@example.org`,
    );
  await addVerbs(program, words);
  return program;
}

async function addVerbs(program: Command, words: readonly string[]): Promise<void> {
  const named = GROUPS.filter(({ names }) => names.some((name) => words.includes(name)));
  for (const { names, load } of named.length > 0 ? named : GROUPS) {
    const add = await load();
    const before = program.commands.length;
    add(program);
    const added = program.commands.slice(before).map((command) => command.name());
    if (added.join() !== names.join())
      throw new Error(`the group ${names.join()} adds other verbs: ${added.join()}`);
  }
}

if (require.main === module) void createProgram().then((program) => program.parseAsync());
