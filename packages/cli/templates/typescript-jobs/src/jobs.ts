import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type Input, type Output, type Report, work } from './agent.js';

/** A call whose answer may come later. `id` is that of the call, `callbackUrl` its header `X-Callback-Url`. */
export interface Job {
  id: string;
  callbackUrl: string;
  input: Input;
}

export interface JobsOptions {
  secret: string;
  /** Jobs in progress are kept here, one file each, so that they begin again after a restart. */
  folder: string;
  /** Work that ends within this time is answered at once. It must be shorter than `timeout_ms` of the manifest. */
  atOnceMs?: number;
}

type Message =
  | { type: 'progress'; progress: number; message: string }
  | { type: 'answer'; output: Output }
  | { type: 'failure'; message: string };

/** The call is over: its buyer has cancelled it, or its time has passed. Its work ends. */
class JobOver extends Error {}

/** The marketplace takes 60 callbacks a minute for each call. */
const REPORT_EVERY_MS = 2000;
const REPEAT_AFTER_SECONDS = 5;
const POST_TIMEOUT_MS = 30_000;

export function createJobs({ secret, folder, atOnceMs = 2000 }: JobsOptions) {
  const webhook = new Webhook(secret);
  /** By the id of the call, because the marketplace may send a call again. */
  const running = new Map<string, Promise<Output>>();
  const taken = new Set<string>();
  const fileOf = ({ id }: Job) => join(folder, `${id}.json`);

  /** Sends a message once. Returns its status, and when to send it again; the status is 0 without a response. */
  async function post({ callbackUrl }: Job, message: Message, id: string) {
    const body = JSON.stringify(message);
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign(id, now, body),
    };
    const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
    const response = await fetch(callbackUrl, { method: 'POST', headers, body, signal }).catch(
      () => undefined,
    );
    if (response?.status !== 202)
      console.error(`callback of ${message.type}: ${response?.status ?? 'no answer'}`);
    await response?.body?.cancel();
    const seconds = Number(response?.headers.get('retry-after') ?? REPEAT_AFTER_SECONDS);
    return { status: response?.status ?? 0, repeatAfterMs: seconds * 1000 };
  }

  /** Sends the end of a job until it is accepted or refused for good. The id stays, so that it counts once. */
  async function end(job: Job, message: Message): Promise<void> {
    const id = `msg_${randomUUID()}`;
    for (;;) {
      const { status, repeatAfterMs } = await post(job, message, id);
      if (status > 0 && status < 500 && status !== 429) return;
      await sleep(repeatAfterMs);
    }
  }

  function reportOf(job: Job): Report {
    let reportedAt = 0;
    return async (progress, message) => {
      if (!taken.has(job.id) || Date.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = Date.now();
      const { status } = await post(job, { type: 'progress', progress, message }, `msg_${randomUUID()}`);
      if (status === 404 || status === 409) throw new JobOver();
    };
  }

  function begin(job: Job): Promise<Output> {
    const known = running.get(job.id);
    if (known) return known;
    const output = work(job.input, reportOf(job));
    running.set(job.id, output);
    output.catch(() => undefined).finally(() => running.delete(job.id));
    return output;
  }

  /** A file is written whole or not at all: its name is given last. */
  function keep(job: Job): void {
    const file = fileOf(job);
    writeFileSync(`${file}.new`, JSON.stringify(job));
    renameSync(`${file}.new`, file);
  }

  /** Calls the answer of a job back, and forgets the job. */
  async function finish(job: Job, output: Promise<Output>): Promise<void> {
    taken.add(job.id);
    try {
      await end(job, { type: 'answer', output: await output });
    } catch (error) {
      if (!(error instanceof JobOver)) {
        console.error(error);
        await end(job, { type: 'failure', message: 'the agent failed' });
      }
    }
    rmSync(fileOf(job), { force: true });
    taken.delete(job.id);
  }

  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const job = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Job;
    void finish(job, begin(job));
  }

  return {
    /** Works on a call. Returns its output, or undefined when that takes longer: then it is called back. */
    async take(job: Job): Promise<Output | undefined> {
      const output = begin(job);
      if (taken.has(job.id)) return undefined;
      const first = await Promise.race([output, sleep(atOnceMs)]);
      if (first !== undefined) return first;
      if (!taken.has(job.id)) {
        keep(job);
        void finish(job, output);
      }
      return undefined;
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;
