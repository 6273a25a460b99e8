import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A verification takes seconds, and minutes on a machine that is busy. */
const WAIT_MS = 180_000;

/** Sends requests as the account that has logged in to the context of the browser. */
export function callerOf(runtime, context) {
  return async (method, path, data) => {
    const headers = method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {};
    const answer = await context.request.fetch(`${runtime.api_url}${path}`, { method, data, headers });
    if (!answer.ok())
      throw new Error(`${method} ${path} answered ${answer.status()}: ${await answer.text()}`);
    return answer.json();
  };
}

/** A demonstration agent, and an input of it. */
export async function exampleOf(root, runtime, slug) {
  const agent = runtime.agents.find((each) => each.slug === slug);
  const example = pathToFileURL(join(root, 'examples/agents', slug, 'example.mjs')).href;
  return { agent, input: (await import(example)).exampleInput() };
}

/** Moves the clock of one workflow. */
export function passTime(root, home, workflowId, duration) {
  return promisify(execFile)(
    process.execPath,
    [join(root, 'tools/market.mjs'), 'time-travel', workflowId, duration],
    { cwd: root, env: { ...process.env, MARKET_HOME: home } },
  );
}

/** Buys what the account lacks of `credits`. */
export async function ensureCredits(account, credits) {
  const { available_credits: has } = await account('GET', '/v1/billing/balance');
  if (has >= credits) return;
  await account('POST', '/v1/billing/topup', {
    amountPaise: Math.max(500, Math.ceil(credits - has)) * 100,
    currency: 'INR',
  });
}

/** Repeats `look` until it returns something true, at most for three minutes. Then throws its last error. */
export async function eventually(look) {
  let refusal = new Error('the stack did not reach the state within three minutes');
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(250)) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
