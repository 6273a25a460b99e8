import { proxyActivities } from '@temporalio/workflow';

const { hold, forward, settle } = proxyActivities({ startToCloseTimeout: '30s' });

export async function call(id, buyer, task) {
  await hold(id, buyer);
  const output = await forward(id, task);
  await settle(id, output);
  return output;
}
