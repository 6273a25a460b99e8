import { Command, CommanderError } from 'commander';
import type { FieldProblem } from '../domain/errors';
import { CliFailure, pathFailure } from './failure';
import { oneLine } from './terminal/terminal-text';

/** The begin of a field's path that names a part of the request. */
const PLACE = /^(body\.input|body|query|path|header)(\.|$)/;

/** What helps after a refusal, by the code of the error. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  insufficient_credits: 'market topup 10 --currency USD',
  registration_required: 'market pay-registration',
  rate_limited: 'wait and run the command again',
  max_cost_exceeded: 'raise --max-cost',
  input_schema_mismatch: 'market listings show <agent>, which prints its input',
  email_unconfirmed: 'follow the link of the mail, or market email resend for another one',
  slug_taken: 'choose another agent_id in manifest.json',
  version_not_higher: 'raise version in manifest.json',
};

/** How the refusal of an owner to whom the caller does not belong begins. */
const NO_SUCH_OWNER = 'There is no such owner';
const PASSWORD_LOST = 'market password reset --email <email>, if the password is lost';

/**
 * Result of a verb: the text for people, the value that `--json` prints (undefined: nothing more than the verb has
 * printed itself), and the exit code (default 0).
 */
export interface VerbResult {
  text: string;
  json: unknown;
  exitCode?: number;
}

/** Adds verbs to the program. Each file of `verbs/` exports one such function. */
export type AddVerbs = (program: Command) => void;

/**
 * Wraps a verb as a commander action: prints its result, or its error on standard error, and sets the exit code. A
 * `CliFailure` brings its own exit code; any other error exits with `failureCode` (default 1). Never throws.
 */
export function verb<A extends unknown[]>(
  run: (...args: A) => Promise<VerbResult>,
  failureCode = 1,
): (...args: [...A, ...unknown[]]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
    try {
      const result = await run(...(args as unknown as A));
      if (!json) process.stdout.write(`${result.text}\n`);
      else if (result.json !== undefined) process.stdout.write(`${JSON.stringify(result.json, null, 2)}\n`);
      process.exitCode = result.exitCode ?? 0;
    } catch (thrown) {
      const error = pathFailure(thrown) ?? thrown;
      const message = error instanceof Error ? error.message : String(error);
      const more = error instanceof CliFailure ? error.json : {};
      process.stderr.write(
        json
          ? `${JSON.stringify({ error: message, ...more })}\n`
          : `${pathOf(command)}: ${message}\n${moreLines(more, message)}`,
      );
      process.exitCode = error instanceof CliFailure ? error.exitCode : failureCode;
    }
  };
}

/** The fields of a refusal that help to correct it: each invalid field, the trace id, and the next step. */
function moreLines(more: Record<string, unknown>, message: string): string {
  const detail = (more['detail'] ?? []) as FieldProblem[];
  const lines = detail.map(({ loc, msg }) => {
    const path = loc.join('.').replace(PLACE, '');
    return path === '' ? `  ${msg}` : `  ${path}: ${msg}`;
  });
  if (typeof more['trace_id'] === 'string') lines.push(`  trace id: ${more['trace_id']}`);
  const next = typeof more['next'] === 'string' ? more['next'] : nextStep(String(more['code']), message);
  if (next !== undefined) lines.push(`  next: ${next}`);
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

/** A wrong code of an authenticator has the same error as a wrong password, and its message says what to do. */
function nextStep(code: string, message: string): string | undefined {
  if (code === 'insufficient_scope') {
    const scope = /lacks the scope (\S+?),/.exec(message)?.[1] ?? '…';
    return `market api-keys create --name <name> --scope ${scope}`;
  }
  if (code === 'not_found' && message.startsWith(NO_SUCH_OWNER))
    return 'market orgs list, then market orgs use <owner>; market orgs use personal acts for yourself';
  if (code !== 'invalid_credentials') return NEXT_STEPS[code];
  return /password/i.test(message) ? PASSWORD_LOST : undefined;
}

/** The full name of a command, such as `market keys rotate`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** The command `name` of the program, which several groups of verbs may extend; it is added when it is missing. */
export function groupOf(program: Command, name: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name);
}

/**
 * Adds the verb that runs when `group` is called without a verb. Commander passes any other word on to it as an
 * argument; so a word that is close to the name of a verb, or any word if the default verb takes no arguments, is
 * refused as a wrong verb, unless `isArgument` accepts it.
 */
export function defaultVerb(
  group: Command,
  name: string,
  isArgument: (word: string) => boolean = () => false,
): Command {
  const added = group.command(name, { isDefault: true });
  group.hook('preSubcommand', (_group, called) => {
    const [word = '-'] = group.args;
    const names = group.commands.map((command) => command.name());
    if (called !== added || word.startsWith('-') || names.includes(word) || isArgument(word)) return;
    const message = wrongVerbMessage(names, word);
    if (added.registeredArguments.length === 0 || message.includes('Did you mean')) group.error(message);
  });
  return added;
}

/** The message of commander for a word that is none of these verbs, with the one that is similar. */
function wrongVerbMessage(names: readonly string[], word: string): string {
  const group = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const name of names) group.command(name);
  try {
    group.parse([word], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return `error: unknown command '${word}'`;
}
