import type { Command } from 'commander';
import { verb } from '../command-line';
import { candidatesOf } from '../completion/candidates';

/** `market complete`, which the scripts of `market completion` run for what they do not know themselves. */
export function completeVerbs(program: Command): void {
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'behind --: the words behind market, up to the one that is being written')
    .action(
      verb(async (words: string[]) => {
        const found = await candidatesOf(program, words);
        return { text: found.join('\n'), json: found };
      }),
    );
}
