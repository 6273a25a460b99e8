/** What an ordinary tenant does all day: calls, tasks, logins, drafts of versions, test events of a webhook. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { testManifest } from '../../test/support/agents/manifest';
import { bundleOf } from '../../test/support/verification/bundles';
import type { HookServer } from '../../test/support/webhooks/hook-server';
import { newSlug } from '../../test/support/names';
import type { Place, Victim } from './ground';

export const WORK = ['call', 'task', 'login', 'publish', 'webhook'] as const;
export type Work = (typeof WORK)[number];

/** Durations of the work in a phase, and the refusals and faults that it met. */
export interface Phase {
  timesMs: Record<Work, number[]>;
  failures: Record<string, number>;
}

const PASSWORD = 'correct horse battery';
const DEADLINE_MS = 30_000;
/** Pauses between the pieces of one kind of work. */
const PAUSES_MS: Record<Work, number> = { call: 120, task: 600, login: 700, publish: 250, webhook: 100 };
/** Deliveries leave once a second; a pause of random length keeps the victim from following that second. */
const MOST_RANDOM_MS = 300;

export interface VictimDeps {
  place: Place;
  victim: Victim;
  hook: HookServer;
  webhookId: string;
  hookPath: string;
}

export async function addWebhook({ place, victim, hook }: Omit<VictimDeps, 'webhookId' | 'hookPath'>) {
  const hookPath = `/${randomUUID()}`;
  const body = { url: hook.url + hookPath, types: ['invocation.succeeded'] };
  const reply = await ask(place.url, victim.developer.cookie, '/v1/webhooks', body);
  if (reply.status !== 201) throw new Error(`webhook: ${reply.status} ${reply.text}`);
  return { hookPath, webhookId: (JSON.parse(reply.text) as { webhook_id: string }).webhook_id };
}

/** Works for `ms`, each kind of work at its own pace, and measures it. */
export async function workFor(deps: VictimDeps, ms: number): Promise<Phase> {
  const phase: Phase = { timesMs: { call: [], task: [], login: [], publish: [], webhook: [] }, failures: {} };
  const endsAt = performance.now() + ms;
  const slug = newSlug('victim');
  let version = 0;
  const fail = (work: Work, what: string) => {
    const name = `${work} ${what}`;
    phase.failures[name] = (phase.failures[name] ?? 0) + 1;
  };
  const work: Record<Work, () => Promise<number | string>> = {
    call: () => call(deps),
    task: () => task(deps),
    login: () => login(deps),
    publish: () => publish(deps, slug, (version += 1)),
    webhook: () => webhook(deps),
  };
  const loop = async (kind: Work) => {
    do {
      const beganAt = performance.now();
      const ended = await work[kind]().catch((error: unknown) => String(error));
      phase.timesMs[kind].push(performance.now() - beganAt);
      if (typeof ended === 'string') fail(kind, ended);
      else if (ended >= 300) fail(kind, String(ended));
      await sleep(PAUSES_MS[kind] + (kind === 'webhook' ? MOST_RANDOM_MS * Math.random() : 0));
    } while (performance.now() < endsAt);
  };
  await Promise.all(WORK.map(loop));
  return phase;
}

async function call({ place, victim }: VictimDeps): Promise<number> {
  const path = `/v1/agents/${victim.agentId}/invoke`;
  return (await ask(place.url, victim.buyer.cookie, path, { input: { text: 'hello' } })).status;
}

/** Sends a task and waits until it has ended. */
async function task({ place, victim }: VictimDeps): Promise<number | string> {
  const parts = [{ data: { text: 'hello' } }];
  const body = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts } };
  const path = `/v1/a2a/${victim.agentId}/message:send`;
  const { status, text } = await ask(place.url, victim.buyer.cookie, path, body, { 'a2a-version': '1.0' });
  return status === 200 && !text.includes('TASK_STATE_COMPLETED') ? 'not completed' : status;
}

async function login({ place, victim }: VictimDeps): Promise<number> {
  const body = { email: victim.person.email, password: PASSWORD };
  return (await ask(place.url, undefined, '/v1/auth/login', body)).status;
}

async function publish({ place, victim }: VictimDeps, slug: string, number: number): Promise<number> {
  const manifest = testManifest('https://127.77.0.1:9443', { agentId: slug, version: `1.${number}.0` });
  const bundle = bundleOf({ 'index.js': 'module.exports = 1;\n', 'README.md': '# An agent\n' });
  const body = { manifest, bundle_base64: bundle.toString('base64'), submit: false };
  return (await ask(place.url, victim.developer.cookie, '/v1/developer/agents', body)).status;
}

/** Requests a test event and waits until it was delivered. */
async function webhook({ place, victim, hook, webhookId, hookPath }: VictimDeps): Promise<number | string> {
  const before = hook.told.filter(({ path }) => path === hookPath).length;
  const { status } = await ask(
    place.url,
    victim.developer.cookie,
    `/v1/webhooks/${webhookId}/test`,
    undefined,
  );
  if (status !== 202) return status;
  const giveUpAt = performance.now() + DEADLINE_MS;
  while (hook.told.filter(({ path }) => path === hookPath).length <= before) {
    if (performance.now() > giveUpAt) return 'not delivered';
    await sleep(5);
  }
  return status;
}

async function ask(
  url: string,
  cookie: string | undefined,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(cookie !== undefined && { cookie }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  return { status: response.status, text: await response.text() };
}
