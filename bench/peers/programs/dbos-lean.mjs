/** DBOS with lean steps: one durable workflow a call, whose steps are rows in Postgres. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import { forward, hold, settle } from './steps.mjs';
import { serve } from './server.mjs';

DBOS.setConfig({
  name: 'lean',
  systemDatabaseUrl: process.env.DBOS_URL,
  systemDatabasePoolSize: 16,
  logLevel: 'error',
  runAdminServer: false,
});
const call = DBOS.registerWorkflow(
  async (id, buyer, task) => {
    await DBOS.runStep(() => hold(id, buyer), { name: 'hold' });
    const output = await DBOS.runStep(() => forward(id, task), { name: 'forward' });
    await DBOS.runStep(() => settle(id, output), { name: 'settle' });
    return output;
  },
  { name: 'call' },
);
await DBOS.launch();
serve(async (id, buyer, task) => {
  const handle = await DBOS.startWorkflow(call, { workflowID: id })(id, buyer, task);
  return handle.getResult();
});
