/** Temporal with lean steps: a workflow a call, started eagerly, with three ordinary activities in the same process. */
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import * as steps from './steps.mjs';
import { serve } from './server.mjs';

const address = process.env.TEMPORAL_ADDRESS;
const taskQueue = 'lean';
const { hold, forward, settle } = steps;
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./temporal-workflow.mjs', import.meta.url)),
  activities: { hold, forward, settle },
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });
serve((id, buyer, task) =>
  client.workflow.execute('call', { taskQueue, workflowId: id, args: [id, buyer, task] }),
);
