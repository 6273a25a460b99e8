import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { listVerb, type PageOptions, withPages } from '../terminal/pages';

type Grant = Schema<'OAuthGrant'>;

const PATH = '/v1/oauth/grants';

/** `market grants …`: the clients that may call agents for you by OAuth (docs/oauth.md). */
export function grantVerbs(program: Command): void {
  const grants = program.command('grants').description('lists and revokes what OAuth clients may do for you');
  addList(grants);
  addRevoke(grants);
}

function addList(grants: Command): void {
  withPages(grants.command('list'))
    .description('lists your OAuth grants, newest first')
    .addHelpText('after', '\nExample:\n  market grants list')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions>();
        return listVerb<Grant>(connectPerson(options), PATH, options, {
          head: ['grant', 'client', 'sent to', 'agent', 'scopes', 'spent', 'cap', 'expires', 'last used'],
          row: (grant) => [
            grant.grant_id,
            grant.client_name,
            grant.redirect_host,
            grant.agent_id,
            grant.scopes.join(' '),
            String(grant.spent_credits),
            String(grant.credit_cap ?? '-'),
            grant.expires_at,
            grant.last_used_at ?? '-',
          ],
        });
      }),
    );
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
