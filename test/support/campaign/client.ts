/** Buyers who call on every surface, and each remembers what it has heard. */
import { randomUUID } from 'node:crypto';
import { withTimeout } from '../../../src/kit/with-timeout';
import { chat } from '../calls/chat';
import { realTime } from '../waits';
import { use } from '../calls/use';
import { invoke, type TestUser } from '../market';
import { dispute, respond } from '../disputes/disputes';
import { legacy } from '../protocols/mcp';
import type { Random } from '../ledger/random';
import { BODY_CANARY, type Ground } from './ground';

export type Surface = 'invoke' | 'chat' | 'use' | 'mcp' | 'a2a' | 'job';
export const SURFACES: readonly Surface[] = [
  'invoke',
  'invoke',
  'invoke',
  'chat',
  'use',
  'mcp',
  'a2a',
  'job',
];

export interface Told {
  surface: Surface;
  buyer: TestUser;
  key: string | undefined;
  /** `unknown`: no answer arrived. */
  outcome: 'charged' | 'failed' | 'refused' | 'unknown';
  status: number;
  invocationId: string | undefined;
  credits: number;
  startedAt: number;
  endedAt: number;
}

/** What a caller tries again, with the same key. */
const PATIENCE_MS = 45_000;
const CALL_MS = 12_000;

export interface Traffic {
  told: Told[];
  disputed: Set<string>;
  /** Ends new calls; resolves when the open ones have ended. */
  stop(): Promise<void>;
}

export function startTraffic(ground: Ground, random: Random): Traffic {
  const told: Told[] = [];
  const disputed = new Set<string>();
  let isOver = false;
  const callers = ground.buyers.flatMap((buyer) =>
    [0, 1].map(async () => {
      while (!isOver) {
        const surface = SURFACES[random(SURFACES.length)] ?? 'invoke';
        const call = await untilTold(ground, { buyer, surface, random });
        told.push(call);
        if (call.outcome === 'charged' && random(12) === 0) await disputeIt(ground, call, disputed, random);
        await pause(20 + random(80));
      }
    }),
  );
  return {
    told,
    disputed,
    async stop() {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

interface Wish {
  buyer: TestUser;
  surface: Surface;
  random: Random;
}

const isRepeatable = (surface: Surface) => surface === 'invoke' || surface === 'chat' || surface === 'use';

/** One call, with the same key again while the answer is missing or says that a retry may help. */
async function untilTold(ground: Ground, wish: Wish): Promise<Told> {
  const { surface, buyer, random } = wish;
  const key = isRepeatable(surface) ? randomUUID() : undefined;
  const word = ['fine', 'fine', 'fine', 'fine', 'broken', 'dies'][random(6)] ?? 'fine';
  const text = `${word} ${BODY_CANARY} ${'x'.repeat(random(9))}`;
  const startedAt = Date.now();
  const unknown = { surface, buyer, key, outcome: 'unknown' as const, status: 0, invocationId: undefined };
  let last: Told = { ...unknown, credits: 0, startedAt, endedAt: startedAt };
  for (let attempt = 0; Date.now() - startedAt < PATIENCE_MS; attempt += 1) {
    const apis = ground.apis();
    const at = apis[(attempt + random(2)) % apis.length]?.service ?? { url: '' };
    const answer = await answered(callOn(ground, surface, { at, buyer, key, text }));
    last = { ...unknown, ...answer, credits: answer?.credits ?? 0, startedAt, endedAt: Date.now() };
    const mayHelp = last.outcome === 'unknown' || last.status >= 503 || last.status === 429;
    if (!mayHelp || (key === undefined && last.outcome === 'unknown')) return last;
    await pause(300);
  }
  return last;
}

interface OneCall {
  at: { url: string };
  buyer: TestUser;
  key: string | undefined;
  text: string;
}

type Answer = Pick<Told, 'outcome' | 'status'> & { invocationId?: string | undefined; credits?: number };

async function callOn(ground: Ground, surface: Surface, { at, buyer, key, text }: OneCall): Promise<Answer> {
  const { agents } = ground;
  if (surface === 'chat') {
    const turn = { messages: [{ role: 'user', content: text }], idempotency_key: key };
    const { status, last, refusal } = await chat(at, buyer, agents.chat.agentId, turn);
    if (!last) return ofStatus(status, refusal.invocation_id);
    const { invocation_id: invocationId, usage, error } = last;
    if (last.type === 'done')
      return { outcome: 'charged', status, invocationId, credits: usage?.credits_charged ?? 0 };
    return { outcome: 'failed', status: error?.retryable === true ? 503 : 502, invocationId };
  }
  if (surface === 'mcp') {
    const params = { name: 'invoke', arguments: { text } };
    const { status, body } = await legacy(at, buyer, agents.once.agentId, 'tools/call', params);
    if (status === 200 && body.result && body.result['isError'] !== true)
      return { outcome: 'charged', status };
    return { outcome: status === 200 ? 'failed' : 'refused', status };
  }
  if (surface === 'a2a') return byA2a(at, buyer, agents.repeatable.agentId, text);
  if (surface === 'job') {
    const reply = await invoke(
      at,
      buyer,
      agents.jobs.agentId,
      { input: { text } },
      { prefer: 'respond-async' },
    );
    return reply.status === 202
      ? { outcome: 'failed', status: 202, invocationId: reply.body.invocation_id }
      : ofStatus(reply.status, reply.body.invocation_id);
  }
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const agentId = text.length % 2 === 0 ? agents.once.agentId : agents.repeatable.agentId;
  const { status, body } =
    surface === 'use'
      ? await use(at, buyer, agents.used, { text }, headers)
      : await invoke(at, buyer, agentId, { input: { text }, idempotency_key: key });
  const { invocation_id: invocationId, usage } = body;
  if (status === 200)
    return { outcome: 'charged', status, invocationId, ...(usage && { credits: usage.credits_charged }) };
  return ofStatus(status, invocationId);
}

/** An error before a call was made is a refusal. */
function ofStatus(status: number, invocationId: string | undefined): Answer {
  return { outcome: invocationId === undefined ? 'refused' : 'failed', status, invocationId };
}

async function byA2a(at: { url: string }, buyer: TestUser, agentId: string, text: string): Promise<Answer> {
  const message = {
    messageId: randomUUID(),
    kind: 'message',
    role: 'user',
    parts: [{ kind: 'data', data: { text } }],
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } };
  const response = await fetch(`${at.url}/v1/a2a/${agentId}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: buyer.cookie },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result?: { status?: { state?: string } } };
  const state = result?.status?.state;
  if (state === 'completed') return { outcome: 'charged', status: 200 };
  return { outcome: state === undefined ? 'refused' : 'failed', status: response.status };
}

/** The buyer disputes a charged call, and the developer gives it up. */
async function disputeIt(ground: Ground, call: Told, disputed: Set<string>, random: Random): Promise<void> {
  const id = call.invocationId;
  if (id === undefined) return;
  disputed.add(id);
  const at = ground.apis()[random(2)]?.service ?? { url: '' };
  const opened = await answered(dispute(at, call.buyer, id));
  if (opened?.status !== 201) return;
  await answered(respond(at, ground.developer, opened.body.dispute_id, 'accept'));
}

const pause = (ms: number) => realTime(ms, 'callers do not call at once');

/** The answer; undefined if there is none in time. */
function answered<T>(work: Promise<T>): Promise<T | undefined> {
  return withTimeout(
    CALL_MS,
    work.catch(() => undefined),
    () => undefined,
  );
}
