import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { groupOf, verb } from '../command-line';
import { connect, findOwnAgent, type GlobalOptions } from '../connect';
import { listVerb, type PageOptions, recordResult, withPages } from '../terminal/pages';

type Notice = Schema<'AgentNotice'>;

const versionPath = (agentId: string, version: string) =>
  `/v1/developer/agents/${agentId}/versions/${encodeURIComponent(version)}`;

/**
 * `market agents version`, `delete-draft` and `notices`: the versions of your agents, one by one, and what was seen of
 * them.
 */
export function ownVersionVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  agents
    .command('version')
    .argument('<agent>', 'agent id or slug')
    .argument('<version>', 'such as 1.2.0')
    .description('prints one version of one of your agents, with its manifest as it was stored')
    .addHelpText('after', '\nExample:\n  market agents version word-counter 1.0.0 --json')
    .action(
      verb(async (agent: string, version: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return recordResult(
          await api.call<object>('GET', versionPath(await findOwnAgent(api, agent), version)),
        );
      }),
    );
  agents
    .command('delete-draft')
    .argument('<agent>', 'agent id or slug')
    .argument('<version>', 'the draft, such as 1.2.0')
    .description('deletes a draft, and frees its number')
    .addHelpText('after', '\nExample:\n  market agents delete-draft word-counter 1.2.0')
    .action(
      verb(async (agent: string, version: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const agentId = await findOwnAgent(api, agent);
        await api.call('DELETE', versionPath(agentId, version));
        return {
          text: `Deleted the draft ${version} of ${agentId}.`,
          json: { agent_id: agentId, version, deleted: true },
        };
      }),
    );
  withPages(agents.command('notices'))
    .argument('<agent>', 'agent id or slug')
    .description('lists what the service noticed about one of your agents, such as a repeated credential')
    .addHelpText('after', '\nExample:\n  market agents notices word-counter')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const options = command.optsWithGlobals<PageOptions>();
        const api = connect(options);
        return listVerb<Notice>(
          api,
          `/v1/developer/agents/${await findOwnAgent(api, agent)}/notices`,
          options,
          {
            head: ['first seen', 'version', 'code', 'message'],
            row: ({ first_seen_at, version, code, message }) => [first_seen_at, version, code, message],
          },
        );
      }),
    );
}
