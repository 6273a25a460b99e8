import type { Client } from '@temporalio/client';
import { createLogger } from '../logger';
import { createVerificationTrigger } from './verification';

const request = { agentId: 'agt_a_v1', versionId: 'agv_1', reason: 'published' } as const;

function trigger(client: Client | undefined) {
  const marked: string[] = [];
  const asked = createVerificationTrigger({
    client: () => client,
    taskQueue: 'operations',
    markTriggered: (versionId) => Promise.resolve(void marked.push(versionId)),
    clock: 'production',
    logger: createLogger('test', 'silent'),
  });
  return { asked, marked };
}

it('leaves a version to the sweep, without an error, while the engine is away', async () => {
  const { asked, marked } = trigger(undefined);
  await expect(asked.ask(request)).resolves.toBe(false);
  expect(marked).toEqual([]);
});

it('leaves it to the sweep when the engine does not confirm', async () => {
  const refusing = {
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflow: { signalWithStart: () => Promise.reject(new Error('deadline exceeded')) },
  } as unknown as Client;
  const { asked, marked } = trigger(refusing);
  await expect(asked.ask(request)).resolves.toBe(false);
  expect(marked).toEqual([]);
});
