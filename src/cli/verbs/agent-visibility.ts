import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { groupOf, verb, type VerbResult } from '../command-line';
import { connect, connectPerson, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { fieldsText, recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { ACCESS_LISTS } from '../rows/access-lists';
import { LISTS } from '../rows/lists';

type State = Schema<'AgentVisibilityState'>;

const pathOf = (agentId: string) => `/v1/developer/agents/${encodeURIComponent(agentId)}`;

/** The verbs of `market agents` that decide whom an agent is shown to. */
export function agentVisibilityVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  addVisibility(agents);
  addList(agents, 'audience', LISTS['agents audience']);
  addShare(agents);
  addUnshare(agents);
  addList(agents, 'shared', ACCESS_LISTS['agents shared']);
}

function stateResult({ reasons, ...state }: State): VerbResult {
  const why = reasons.map(({ code, message }) => `${code}: ${message}`);
  const text = fieldsText({
    visibility: state.visibility,
    audience: state.audience,
    link: state.access_link_made_at === null ? 'none' : `made ${state.access_link_made_at}`,
    listed: state.listed ? 'yes' : 'no',
    ...(state.visibility === 'public' && why.length > 0 && { why: why.join('\n') }),
  });
  return { text, json: { ...state, reasons } };
}

function addVisibility(agents: Command): void {
  agents
    .command('visibility')
    .argument('<agent>', 'agent id or slug')
    .argument('[visibility]', 'public, unlisted or private')
    .description('says whom the agent is shown to, whether it is listed, and why not; or changes it')
    .addHelpText(
      'after',
      '\nExamples:\n  market agents visibility agt_word_counter_v1\n  market agents visibility agt_word_counter_v1 private',
    )
    .action(
      verb(async (agent: string, visibility: string | undefined, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const path = `${pathOf(await findAgent(api, agent))}/visibility`;
        return stateResult(
          visibility === undefined
            ? await api.call<State>('GET', path)
            : await api.call<State>('PATCH', path, { visibility }),
        );
      }),
    );
}

function addShare(agents: Command): void {
  agents
    .command('share')
    .argument('<agent>', 'agent id or slug')
    .argument('<accounts...>', 'ids of accounts (usr_…), organisations (org_…) or developers (dev_…)')
    .description('shows one of your private agents to accounts')
    .addHelpText('after', '\nExample:\n  market agents share agt_word_counter_v1 dev_acme')
    .action(
      verb(async (agent: string, accounts: string[], _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const path = `${pathOf(await findAgent(api, agent))}/audience`;
        return stateResult(await api.call<State>('POST', path, { accounts }));
      }),
    );
}

function addUnshare(agents: Command): void {
  agents
    .command('unshare')
    .argument('<agent>', 'agent id or slug')
    .argument('<account>', 'id as `market agents audience` prints it')
    .description('no longer shows one of your private agents to an account')
    .addHelpText('after', '\nExample:\n  market agents unshare agt_word_counter_v1 dev_acme')
    .action(
      verb(async (agent: string, account: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const agentId = await findAgent(api, agent);
        await api.call('DELETE', `${pathOf(agentId)}/audience/${encodeURIComponent(account)}`);
        const text = `${account} no longer sees ${agentId} while it is private.`;
        return { text, json: { agent_id: agentId, account_id: account, shown: false } };
      }),
    );
}

/** `market access …`: links to private agents, and requests for access. */
export function accessVerbs(program: Command): void {
  const access = program
    .command('access')
    .description('asks for access to private agents, and answers requests');
  addLink(access);
  addList(access, 'waiting', ACCESS_LISTS['access waiting']);
  addList(access, 'requests', ACCESS_LISTS['access requests']);
  addAnswer(access, 'grant', true, 'adds the account of a request to the audience of one of your agents');
  addAnswer(access, 'refuse', false, 'refuses a request for access to one of your agents');
  addAsk(access);
  addList(access, 'list', ACCESS_LISTS['access list']);
}

function addLink(access: Command): void {
  access
    .command('link')
    .argument('<agent>', 'agent id or slug')
    .option('--end', 'ends the link instead')
    .description(
      'makes the link by which accounts may ask for one of your private agents; the one before ends',
    )
    .addHelpText('after', '\nExample:\n  market access link agt_word_counter_v1')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const { end, ...options } = command.optsWithGlobals<GlobalOptions & { end?: true }>();
        const api = connect(options);
        const agentId = await findAgent(api, agent);
        const path = `${pathOf(agentId)}/access-link`;
        if (!end) return recordResult((await api.call<object>('POST', path)) ?? {});
        await api.call('DELETE', path);
        return { text: `The link of ${agentId} has ended.`, json: { agent_id: agentId, link: null } };
      }),
    );
}

function addAnswer(access: Command, name: string, grant: boolean, description: string): void {
  access
    .command(name)
    .argument('<agent>', 'agent id or slug')
    .argument('<request>', 'request id, acr_…')
    .description(description)
    .addHelpText('after', `\nExample:\n  market access ${name} agt_word_counter_v1 acr_…`)
    .action(
      verb(async (agent: string, request: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const path = `${pathOf(await findAgent(api, agent))}/access-requests/${encodeURIComponent(request)}/answer`;
        return recordResult(await api.call<object>('POST', path, { grant }));
      }),
    );
}

function addAsk(access: Command): void {
  access
    .command('ask')
    .argument('<link>', 'the link that the owner of the agent gave you, or its token (acl_…)')
    .argument('<reason>', 'a sentence for the owner, who also sees your name and the id of your account')
    .description('asks to see a private agent')
    .addHelpText('after', '\nExample:\n  market access ask acl_… "We read invoices for Acme."')
    .action(
      verb(async (link: string, reason: string, _options, command: Command) => {
        const token = /acl_[A-Za-z0-9_-]+$/.exec(link)?.[0];
        if (token === undefined) throw usageFailure('the link ends with #acl_…');
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await api.call<object>('POST', '/v1/access-requests', { token, reason }));
      }),
    );
}
