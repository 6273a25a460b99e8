import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { listVerb, type PageOptions, recordResult, withPages } from '../terminal/pages';

type Mandate = Schema<'Mandate'>;

const PATH = '/v1/mandates';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

/** `market mandates …`: what others may spend of your credits (docs/mandates.md). */
export function mandateVerbs(program: Command): void {
  const mandates = program.command('mandates').description('lists, shows and revokes your mandates');
  withPages(mandates.command('list'))
    .description('lists the mandates of your account that were used, newest first')
    .addHelpText('after', '\nExample:\n  market mandates list')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions>();
        return listVerb<Mandate>(connect(options), PATH, options, {
          head: ['mandate', 'for', 'status', 'most', 'spent', 'remaining', 'expires'],
          row: (mandate) => [
            mandate.mandate_id,
            mandate.subject,
            mandate.status,
            String(mandate.max_credits),
            String(mandate.spent_credits),
            String(mandate.remaining_credits),
            mandate.expires_at,
          ],
        });
      }),
    );
  mandates
    .command('show')
    .argument('<mandate>', 'mandate id, mdt_…')
    .description('prints one of your mandates, with what it has spent')
    .addHelpText('after', '\nExample:\n  market mandates show mdt_…')
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<Mandate>('GET', pathOf(id)));
      }),
    );
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
