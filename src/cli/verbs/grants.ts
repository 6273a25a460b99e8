import type { Command } from 'commander';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

const PATH = '/v1/oauth/grants';

/** `market grants …`: the clients that may call agents for you by OAuth (docs/oauth.md). */
export function grantVerbs(program: Command): void {
  const grants = program.command('grants').description('lists and revokes what OAuth clients may do for you');
  addList(grants, 'list', LISTS['grants list']);
  addRevoke(grants);
}

function addRevoke(grants: Command): void {
  grants
    .command('revoke')
    .argument('<grant>', 'grant id, ogr_…')
    .description('revokes a grant; the next request with its tokens is refused')
    .addHelpText('after', '\nExample:\n  market grants revoke ogr_…')
    .action(
      verb(async (grantId: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        await api.call('DELETE', `${PATH}/${encodeURIComponent(grantId)}`);
        return { text: `Revoked ${grantId}.`, json: { grant_id: grantId, revoked: true } };
      }),
    );
}
