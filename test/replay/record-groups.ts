/** Records the workflow that calls share: all ended before it began, some ended a moment later, some left it. */
import type { Client } from '@temporalio/client';
import type { Behaviour } from '../support/agents/behaviours';
import { startAgent } from '../support/agents/test-agent';
import { workflowOf, workflowsOf } from '../support/calls/enrolled';
import { invoke, putLive, register, type TestMarket } from '../support/market';

const GROUPS: [string, Behaviour][] = [
  ['call-group-ended', { kind: 'echo' }],
  ['call-group-followed', { kind: 'slow', ms: 700 }],
  ['call-group-left', { kind: 'slow', ms: 6_000 }],
];
const CALLS = 6;

export async function recordGroups(
  market: Pick<TestMarket, 'url' | 'owner' | 'container'>,
  client: Client,
  show: (name: string, workflowId: string) => void,
): Promise<void> {
  const agent = await startAgent();
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  for (const [name, behaviour] of GROUPS) {
    agent.behave(behaviour);
    const { agentId } = await putLive(market, developer.userId, agent.url, { timeoutMs: 10_000 });
    const replies = await Promise.all(
      Array.from({ length: CALLS }, (_, n) => invoke(market, buyer, agentId, { input: { text: `${n}` } })),
    );
    const ids = replies.map(({ body }) => body.invocation_id ?? '');
    for (const id of ids) await workflowOf(client, id);
    const drivers = (await Promise.all(ids.map((id) => workflowsOf(client, id)))).flat();
    const group = drivers.find((id) => id.startsWith('calls/'));
    if (group === undefined) throw new Error(`no two calls of ${name} shared a workflow`);
    await client.workflow.getHandle(group).result();
    show(name, group);
  }
  await agent.stop();
}
