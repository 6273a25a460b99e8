/** Express and pg, not durable: a call whose process dies stays held. */
import { forward, hold, settle } from './steps.mjs';
import { serve } from './server.mjs';

serve(async (id, buyer, task) => {
  await hold(id, buyer);
  const output = await forward(id, task);
  await settle(id, output);
  return output;
});
