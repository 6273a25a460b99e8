import type { Argument, Command, Option } from 'commander';
import { profileNames } from '../login/session-file';
import { ROLES } from '../terminal/roles';
import { type Ids, idsOf } from './ids';

/** Where the word that is being written stands. */
interface Place {
  command: Command;
  /** The arguments of the command before it. */
  args: string[];
  /** The option whose value it is. */
  option?: Option | undefined;
  /** The options before it that have a value. */
  flags: { api?: string; profile?: string; owner?: string };
}

/** Whether an option takes a value. */
export const hasValue = ({ required, optional }: Option): boolean => required || optional;

/** The verbs of a command that its help shows. */
export const verbsOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');

/**
 * What can stand for the last of `words`, the words behind `market`, whatever is written of it already: verbs, values
 * of an option or an argument, and ids of what the account has. Empty if nothing is known, as for a file.
 */
export async function candidatesOf(program: Command, words: readonly string[]): Promise<readonly string[]> {
  const { command, args, option, flags } = placeOf(program, words.slice(0, -1));
  if (option?.attributeName() === 'profile') return profileNames();
  const argument = option ?? argumentAt(command, args.length);
  const verbs = option || args.length > 0 ? [] : verbsOf(command).map((each) => each.name());
  if (!argument || verbs.length > 0) return verbs;
  const values = argument.argChoices ?? wordsIn(argument.description);
  if (values.length > 0) return values;
  const ids: Ids = {
    name: option ? option.attributeName() : argument.name(),
    args,
    flags,
    isBuyer: isOfBuyers(command),
  };
  return [...(argument.description.includes('@file') ? ['@'] : []), ...(await idsOf(ids))];
}

function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, args: [], flags: {} };
  for (const word of words) {
    if (place.option) {
      Object.assign(place.flags, { [place.option.attributeName()]: word });
      place.option = undefined;
    } else if (/^-./.test(word)) place.option = optionBefore(place.command, word);
    else enter(place, word);
  }
  return place;
}

function enter(place: Place, word: string): void {
  const isOf = (each: Command) => each.name() === word || each.aliases().includes(word);
  const verb = place.args.length === 0 ? place.command.commands.find(isOf) : undefined;
  if (verb) place.command = verb;
  else place.args.push(word);
}

/** The option of that name that takes the next word as its value. */
function optionBefore(command: Command, name: string): Option | undefined {
  for (let at: Command | null = command; at; at = at.parent) {
    const option = at.options.find(({ long, short }) => long === name || short === name);
    if (option) return hasValue(option) ? option : undefined;
  }
  return undefined;
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

/** The values that a description lists: `accept or contest`, `csv, pdf or json; default csv`. */
function wordsIn(description: string): string[] {
  const [, first = '', last = ''] =
    /^(?:[^:]*: )?((?:\w+, )*\w+) or (\w+)(?=$|[;:(. ])/.exec(description) ?? [];
  return first === '' ? [] : [...first.split(', '), last];
}

function isOfBuyers(command: Command): boolean {
  for (let at: Command | null = command; at; at = at.parent) if (at.helpGroup() === ROLES.buy) return true;
  return false;
}
