/** Restate with lean steps: one invocation of a durable handler a call, journaled by its server. */
import * as restate from '@restatedev/restate-sdk';
import { request } from 'undici';
import { forward, hold, settle } from './steps.mjs';
import { serve } from './server.mjs';

// The SDK uses it; Node 20 has none.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};

const calls = restate.service({
  name: 'calls',
  handlers: {
    run: async (ctx, { id, buyer, task }) => {
      await ctx.run('hold', () => hold(id, buyer));
      const output = await ctx.run('forward', () => forward(id, task));
      await ctx.run('settle', () => settle(id, output));
      return output;
    },
  },
});
const endpoint = Number(process.env.RESTATE_ENDPOINT_PORT);
await restate.serve({ services: [calls], port: endpoint });
const registered = await request(`${process.env.RESTATE_ADMIN_URL}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${endpoint}`, force: true }),
});
if (registered.statusCode >= 300) throw new Error(await registered.body.text());
await registered.body.dump();
serve(async (id, buyer, task) => {
  const { statusCode, body } = await request(`${process.env.RESTATE_INGRESS_URL}/calls/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ id, buyer, task }),
  });
  const output = await body.json();
  if (statusCode !== 200) throw new Error(`Restate answered ${statusCode}`);
  return output;
});
