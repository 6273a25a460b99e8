import type { Command } from 'commander';
import { verb } from '../command-line';
import { connectPerson, findAgent } from '../connect';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

const pathOf = (agentId: string) => `/v1/favourites/${encodeURIComponent(agentId)}`;

/** `market favourites …`: the agents that your account has marked. */
export function favouriteVerbs(program: Command): void {
  const favourites = program.command('favourites').description('agents that you marked, to find them again');
  addList(favourites, 'list', LISTS['favourites list']);
  favourites
    .command('add')
    .argument('<agent>', 'agent id or slug')
    .description('marks an agent')
    .addHelpText('after', '\nExample:\n  market favourites add unit-converter')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        const agentId = await findAgent(api, agent);
        await api.call('PUT', pathOf(agentId));
        return { text: `${agentId} is a favourite.`, json: { agent_id: agentId, favourite: true } };
      }),
    );
  favourites
    .command('remove')
    .argument('<agent>', 'agent id or slug')
    .description('removes an agent from the list')
    .addHelpText('after', '\nExample:\n  market favourites remove unit-converter')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        const agentId = await findAgent(api, agent);
        await api.call('DELETE', pathOf(agentId));
        return { text: `${agentId} is no favourite.`, json: { agent_id: agentId, favourite: false } };
      }),
    );
}
