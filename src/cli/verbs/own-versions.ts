import type { Command } from 'commander';
import { groupOf, verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';

const versionPath = (agentId: string, version: string) =>
  `/v1/developer/agents/${agentId}/versions/${encodeURIComponent(version)}`;

/**
 * `market agents version`, `delete-draft` and `notices`: the versions of your agents, one by one, and what was seen of
 * them.
 */
export function ownVersionVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  addShow(agents, 'version', SHOWS['agents version']);
  agents
    .command('delete-draft')
    .argument('<agent>', 'agent id or slug')
    .argument('<version>', 'the draft, such as 1.2.0')
    .description('deletes a draft, and frees its number')
    .addHelpText('after', '\nExample:\n  market agents delete-draft word-counter 1.2.0')
    .action(
      verb(async (agent: string, version: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const agentId = await findAgent(api, agent);
        await api.call('DELETE', versionPath(agentId, version));
        return {
          text: `Deleted the draft ${version} of ${agentId}.`,
          json: { agent_id: agentId, version, deleted: true },
        };
      }),
    );
  addList(agents, 'notices', LISTS['agents notices']);
  addList(agents, 'tool-changes', LISTS['agents tool-changes']);
}
