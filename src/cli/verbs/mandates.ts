import type { Command } from 'commander';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';

const PATH = '/v1/mandates';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

/** `market mandates …`: what others may spend of your credits (docs/mandates.md). */
export function mandateVerbs(program: Command): void {
  const mandates = program.command('mandates').description('lists, shows and revokes your mandates');
  addList(mandates, 'list', LISTS['mandates list']);
  addShow(mandates, 'show', SHOWS['mandates show']);
  mandates
    .command('revoke')
    .argument('<mandate>', 'mandate id, mdt_…; it need not have been used')
    .description('revokes a mandate and each mandate delegated from it, for good')
    .addHelpText('after', '\nCalls in progress are not affected.\n\nExample:\n  market mandates revoke mdt_…')
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        await api.call('DELETE', pathOf(id));
        return { text: `Revoked ${id}.`, json: { mandate_id: id, revoked: true } };
      }),
    );
}
