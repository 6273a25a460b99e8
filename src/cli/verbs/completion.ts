import type { Command } from 'commander';
import { verb } from '../command-line';
import { hasValue, verbsOf } from '../completion/candidates';
import { bashScript, fishScript, type Place, type PlaceOption, zshScript } from '../completion/scripts';
import { usageFailure } from '../failure';

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
    .description('prints a script that completes verbs, options and their values in your shell')
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

function placesOf(command: Command, at = '', inherited: readonly PlaceOption[] = []): Place[] {
  const visible = command.options.filter(({ hidden }) => !hidden);
  const own = visible.flatMap((option) =>
    option.long ? [{ name: option.long, hasValue: hasValue(option) }] : [],
  );
  const passedOn = [...inherited, ...own.filter(({ name }) => name !== '--version')];
  const shown = verbsOf(command);
  const verbs = shown.map((each) => ({ name: each.name(), description: each.description() }));
  const all = [...inherited, ...own, { name: '--help', hasValue: false }];
  const options = all.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    { at, verbs, options },
    ...shown.flatMap((each) => placesOf(each, `${at} ${each.name()}`, at === '' ? passedOn : inherited)),
  ];
}
