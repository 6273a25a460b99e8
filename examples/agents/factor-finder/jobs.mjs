/**
 * Takes long calls as jobs: the agent answers 202, and calls progress and answer back, signed with its signing secret.
 * A job in progress is lost when this process ends; then it fails when its heartbeat is missed. `market init --jobs`
 * makes an agent that keeps its jobs.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { LATER } from '../serve.mjs';

const AT_ONCE_MS = 3_000;
const REPORT_EVERY_MS = 2_000;
const REPEAT_AFTER_MS = 5_000;

/** The call is over: its buyer has cancelled it, or its time has passed. */
class JobOver extends Error {}

/**
 * Answers short work at once, and takes other work as a job.
 *
 * @typedef {(progress: number, message: string) => Promise<void>} Report
 * @param {(input: Record<string, unknown>, report: Report) => Promise<unknown>} work
 */
export const asJob = (work) => async (input, headers) => {
  const callbackUrl = headers['x-callback-url'];
  if (callbackUrl === undefined) return work(input, async () => {});
  let isTaken = false;
  let reportedAt = 0;
  const output = work(input, async (progress, message) => {
    if (!isTaken || Date.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = Date.now();
    const status = await post(callbackUrl, { type: 'progress', progress, message }, `msg_${randomUUID()}`);
    if (status === 404 || status === 409) throw new JobOver();
  });
  const first = await Promise.race([output, sleep(AT_ONCE_MS, LATER)]);
  if (first !== LATER) return first;
  isTaken = true;
  output
    .then((result) => end(callbackUrl, { type: 'answer', output: result }))
    .catch((error) => {
      if (!(error instanceof JobOver)) return end(callbackUrl, { type: 'failure', message: error.message });
    });
  return LATER;
};

/** Sends the end of a job until it is accepted or refused for good. Its id stays, so that it counts once. */
async function end(callbackUrl, message) {
  const id = `msg_${randomUUID()}`;
  for (;;) {
    const status = await post(callbackUrl, message, id);
    if (status > 0 && status < 500 && status !== 429) return;
    await sleep(REPEAT_AFTER_MS);
  }
}

/** Sends a message once. Returns its status; 0 without a response. */
async function post(callbackUrl, message, id) {
  try {
    const secret = process.env.SIGNING_SECRET ?? readFileSync(process.env.SIGNING_SECRET_FILE, 'utf8');
    const body = JSON.stringify(message);
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret.trim()).sign(id, now, body),
    };
    const response = await fetch(callbackUrl, { method: 'POST', headers, body });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    console.error(error.message);
    return 0;
  }
}
