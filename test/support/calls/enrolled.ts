import type { Client } from '@temporalio/client';
import { eventually } from '../market';

/** Id of the workflow that drives a call: its own, or that of its group. Waits until the call is enrolled. */
export async function workflowOf(client: Client, invocationId: string): Promise<string> {
  let found = '';
  await eventually(async () => {
    found = (await workflowsOf(client, invocationId))[0] ?? '';
    return found !== '';
  });
  return found;
}

/** All workflows of a call, as an operator's query finds them. */
export async function workflowsOf(client: Client, invocationId: string): Promise<string[]> {
  const query = `WorkflowId = 'invocation/${invocationId}' OR Members = '${invocationId}'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids;
}
