import type { Command } from 'commander';
import { verb } from '../command-line';
import { usageFailure } from '../failure';

/** What can follow some words of the command: verbs with their descriptions, and options. */
interface Place {
  /** The words before, such as ` agents`; empty for `market` itself. */
  at: string;
  verbs: { name: string; description: string }[];
  options: string[];
}

const SCRIPTS: Readonly<Record<string, (places: Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `market completion`. */
export function completionVerbs(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('prints a script that completes verbs and options in your shell')
    .addHelpText(
      'after',
      `
Examples:
  source <(market completion bash)                                     in ~/.bashrc
  source <(market completion zsh)                                      in ~/.zshrc, after compinit
  market completion fish > ~/.config/fish/completions/market.fish`,
    )
    .action(
      verb((shell: string) => {
        const write = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
        if (!write)
          return Promise.reject(usageFailure(`${shell} is not a shell of this list: bash, zsh, fish`));
        const script = write(placesOf(program)).trimEnd();
        return Promise.resolve({ text: script, json: { shell, script } });
      }),
    );
}

function placesOf(command: Command, at = '', inherited: readonly string[] = []): Place[] {
  const own = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long ? [long] : []));
  const passedOn = [...inherited, ...own.filter((name) => name !== '--version')];
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  const verbs = shown.map((each) => ({ name: each.name(), description: each.description() }));
  const place = { at, verbs, options: [...new Set([...inherited, ...own, '--help'])].sort() };
  return [
    place,
    ...shown.flatMap((each) => placesOf(each, `${at} ${each.name()}`, at === '' ? passedOn : inherited)),
  ];
}

const candidates = ({ verbs, options }: Place) => [...verbs.map(({ name }) => name), ...options].join(' ');
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** A pattern of `case` that holds for the words of each verb. */
const known = (places: Place[]) =>
  places
    .slice(1)
    .map(({ at }) => quoted(at))
    .join('|');
const cases = (places: Place[]) =>
  places.map((place) => `    ${quoted(place.at)}) words="${candidates(place)}" ;;`).join('\n');

function bashScript(places: Place[]): string {
  return `# market completion bash
_market() {
  local at='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _market market
`;
}

function zshScript(places: Place[]): string {
  return `#compdef market
_market() {
  local at='' candidates='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases(places).replaceAll(') words=', ') candidates=')}
  esac
  compadd -- \${=candidates} || _files
}
compdef _market market
`;
}

function fishScript(places: Place[]): string {
  const lines = places.flatMap(({ at, verbs, options }) => {
    const when = `-n ${quoted(`test (__market_at) = "${at}"`)}`;
    return [
      ...verbs.map(
        ({ name, description }) =>
          `complete -c market ${when} -f -a ${quoted(name)} -d ${quoted(description)}`,
      ),
      ...options.map((name) => `complete -c market ${when} -l ${name.replace('--', '')}`),
    ];
  });
  return `# market completion fish
function __market_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ at }) => quoted(at))
        .join(' ')}
        set at "$at $word"
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}
