import { Command } from 'commander';
import { EXIT } from './failure';
import { ROLES } from './terminal/roles';
import type { VerbGroup } from './verb-groups';

const EXAMPLES = `
Examples:
  market register --api https://market.example.com --email ada@example.org
  market invoke unit-converter '{"quantity": "26.2 mi", "to": "km"}'
  market init my-agent               makes the folder of an agent: server, manifest, test
  market publish my-agent            checks, packs and publishes a folder, then follows its verification
  market balance                     prints your credits and your earnings
  market api-keys create --name app --scope agents:invoke`;

const EXIT_CODES =
  'Exit codes: 0 done; 1 refused or failed; 2 wrong usage; 3 not logged in, or not allowed; 4 try again later.';

/**
 * Builds the `market` command (docs/cli.md). Only the groups whose words appear in the arguments are loaded: loading
 * the libraries of every group would cost half a second per start. Exit 0 means done; any other code (`failure.ts`)
 * comes with the reason on standard error.
 */
export async function createProgram(options: {
  version: string;
  groups: readonly VerbGroup[];
  words: readonly string[];
  examples?: string;
}): Promise<Command> {
  const { version, groups, words, examples = '' } = options;
  endWithReader(process.stdout);
  const program = new Command('market')
    .description('Publishes, finds and calls agents of the marketplace.')
    .version(version)
    .option('--json', 'print the result as JSON')
    .option(
      '--api <url>',
      'URL of the marketplace; default: MARKET_API_URL, the last login, or the local stack',
    )
    .option('--profile <name>', 'which of your logins to use; default: MARKET_PROFILE, or "default"')
    .option(
      '--owner <owner>',
      'for whom to act: an organisation, org_…, or personal; default: MARKET_OWNER, or the choice of "market orgs use"',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (message, write) => write(words.includes('--json') ? jsonOf(message) : oneLineOf(message)),
    })
    .showSuggestionAfterError()
    .addHelpText('after', `${EXAMPLES}${examples}\n\n${EXIT_CODES}`);
  const named = groups.filter(({ names }) => names.some((name) => words.includes(name)));
  const isPart = named.length > 0 && !named.some(({ needsAll }) => needsAll);
  await addVerbs(program, isPart ? named : groups);
  return program;
}

/** An error of usage in one line, with the command that was meant or where the right ones are. */
function oneLineOf(message: string): string {
  const [, what = message, meant] = /^([^]*?)(?:\n\((Did you mean [^]*)\))?\n*$/.exec(message) ?? [];
  return `${what.replace(/\.$/, '')}. ${meant ?? 'Run the command with --help to see its arguments and options.'}\n`;
}

function jsonOf(message: string): string {
  return `${JSON.stringify({
    error: oneLineOf(message)
      .trim()
      .replace(/^error: /, ''),
  })}\n`;
}

/** Ends the process without a word when the reader of a pipe has left, as in `market completion fish | head -1`. */
function endWithReader(output: NodeJS.WriteStream): void {
  if (output.listenerCount('error') > 0) return;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(EXIT.done);
  });
}

async function addVerbs(program: Command, groups: readonly VerbGroup[]): Promise<void> {
  for (const { role, names, load } of groups) {
    const add = await load();
    const before = new Set(program.commands);
    add(program);
    for (const command of program.commands) {
      if (before.has(command)) continue;
      if (!names.includes(command.name()))
        throw new Error(`the group ${names.join()} adds another verb: ${command.name()}`);
      command.helpGroup(ROLES[role]);
    }
  }
}
