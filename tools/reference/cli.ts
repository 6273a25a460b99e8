import type { EventEmitter } from 'node:events';
import type { Command, Option } from 'commander';
import { createProgram } from '../../src/cli/market';
import { ROLES } from '../../src/cli/terminal/roles';
import { code, generated, table } from './table';
import { verbsOf } from '../../src/cli/completion/candidates';

/** docs/reference/cli.md: every verb with its arguments, options and examples, by the groups of `market --help`. */
export async function cliPage(): Promise<string> {
  const program = await createProgram([]);
  const sections = Object.values(ROLES).map((role) => {
    const verbs = verbsOf(program).filter((command) => command.helpGroup() === role);
    return [`## ${role.replace(/:$/, '')}`, ...verbs.flatMap((command) => verbParts(command))].join('\n\n');
  });
  return `${generated(
    'Verbs of the command line',
    '`src/cli`',
    '[The `market` command](../cli.md) says how to install it, how it finds its marketplace, and what its exit codes mean. A word in `<…>` is\nneeded, a word in `[…]` is not, and `…` stands for more of them.',
    'Every verb takes these options:',
    optionTable(program.options.filter(({ long }) => long !== '--version')),
  )}

${sections.join('\n\n')}
`;
}

/** A group of verbs has its description and then its verbs; a verb has its tables and its examples. */
function verbParts(command: Command, before = 'market'): string[] {
  const name = `${before} ${command.name()}`;
  if (command.commands.length > 0) return verbsOf(command).flatMap((each) => verbParts(each, name));
  const words = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  const shown = [name, ...words, ...needed].join(' ');
  const description = prose(command.description());
  return [
    `### ${name}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    `\`\`\`text\n${[shown, ...helpAfter(command)].join('\n')}\n\`\`\``,
    ...(words.length > 0
      ? [
          table(
            ['Argument', 'Meaning'],
            command.registeredArguments.map((argument) => [
              code(argument.name()),
              prose(argument.description),
            ]),
          ),
        ]
      : []),
    ...(command.options.length > 0 ? [optionTable(command.options)] : []),
  ];
}

function optionTable(options: readonly Option[]): string {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, defaultValue, defaultValueDescription }) => [
      code(flags),
      defaultValue === undefined || defaultValue === false || description.includes('default')
        ? prose(description)
        : `${prose(description)}; default: ${code(defaultValueDescription ?? String(defaultValue))}`,
    ]);
  return table(['Option', 'Meaning'], rows);
}

/** A placeholder such as `<invoice>.pdf` as code: the site would read it as an element of HTML. */
function prose(text: string): string {
  return text.replace(/\S*<[^>\s]+>\S*/g, code);
}

/** The text that a verb prints after its help: what to know, and the examples. */
function helpAfter(command: Command): string[] {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  // commander's types leave out that a command is an event emitter, which is how it prints this text
  (command as unknown as EventEmitter).emit('afterHelp', { error: false, command, write });
  return text.trim() === '' ? [] : ['', text.trim()];
}
