/** What an agent calls back about a call that it has accepted as a job (ADR 0304, ADR 0305). */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCallbackTokens } from '../../../src/kit/crypto/callback-token';
import { newId } from '../../../src/kit/ids/ids';
import { newSigningSecret, signWebhook } from '../../../src/kit/crypto/webhook-signature';
import { jobContext } from '../../../src/services/calls/agent/job-acceptance';
import { clientFor, dataMessage, sendTask } from '../../support/protocols/a2a';
import { eventually, invoke, putLive, startMarket } from '../../support/market';
import { startAgent } from '../../support/agents/test-agent';
import { useScene } from '../../support/use-market';

let release = (): void => undefined;
const released = new Promise<void>((resolve) => (release = resolve));
const scene = useScene({
  agent: { timeoutMs: 60_000, credits: 1, jobs: { max_seconds: 600, heartbeat_seconds: 60 } },
  server: { behaviour: { kind: 'waits', until: released } },
});
afterAll(() => release());

/** A call that its agent has and has not answered. Returns its id. */
async function runningCall(agentId = scene.agentId): Promise<string> {
  const client = await clientFor(scene.market, scene.buyer, agentId, 'HTTP+JSON');
  const request = dataMessage({ text: randomUUID() }, { configuration: { returnImmediately: true } });
  const { id } = await sendTask(client, request);
  await eventually(() => scene.agent.countOf(id) === 1);
  return id;
}

/** The same, accepted as a job. */
async function newJob(agentId = scene.agentId): Promise<string> {
  const id = await runningCall(agentId);
  await scene.market.owner.query('SELECT job_take($1, 10, NULL, 600000, false, 60000)', [id]);
  return id;
}

interface Sent {
  secret?: string;
  id?: string;
  at?: number;
  token?: string;
  headers?: Record<string, string>;
}

const pathOf = (invocationId: string, token: string) => `/v1/callbacks/${invocationId}/${token}`;
const tokenOf = (invocationId: string) =>
  createCallbackTokens(scene.market.config.SESSION_SECRET).of(invocationId);
const seconds = () => Math.floor(Date.now() / 1_000);

async function callBack(invocationId: string, message: unknown, sent: Sent = {}, url = scene.market.url) {
  const {
    secret = scene.signingSecret,
    id = randomUUID(),
    at = seconds(),
    token = tokenOf(invocationId),
  } = sent;
  const body =
    typeof message === 'string' || message instanceof Buffer
      ? Buffer.from(message)
      : Buffer.from(JSON.stringify(message));
  const response = await fetch(url + pathOf(invocationId, token), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signWebhook(secret, id, at, body), ...sent.headers },
    body,
  });
  const answer = (await response.json()) as { status?: string; error?: { code: string; message: string } };
  return {
    status: response.status,
    code: answer.error?.code ?? answer.status,
    headers: response.headers,
    answer,
  };
}

const ACCEPTED = { status: 202, code: 'accepted' };
const FORGED = { status: 401, code: 'invalid_credentials' };
const UNKNOWN = { status: 404, code: 'not_found' };
const OVER = { status: 409, code: 'invalid_state' };
const progress = (part: number, message?: string) => ({ type: 'progress', progress: part, message });

async function jobOf(id: string) {
  const { rows } = await scene.market.owner.query<{ progress: number | null; message: Buffer | null }>(
    'SELECT progress, message FROM jobs WHERE invocation_id = $1',
    [id],
  );
  const [job] = rows;
  if (!job) return undefined;
  return { progress: job.progress, message: job.message && (await opened(id, job.message)) };
}

async function endOf(id: string) {
  const { rows } = await scene.market.owner.query<{ kind: string; body: Buffer }>(
    'SELECT kind, body FROM job_ends WHERE invocation_id = $1',
    [id],
  );
  const [end] = rows;
  return end && { kind: end.kind, text: await opened(id, end.body) };
}

const opened = async (id: string, sealed: Buffer) =>
  (await scene.market.container.cipher.unseal(sealed, jobContext(id))).toString();

it('are sent to the address in the header of the call, which agents without jobs do not get', async () => {
  const { market, developer, agent } = scene;
  const plain = await putLive(market, developer.userId, agent.url, { timeoutMs: 60_000 });
  const [id, other] = [await runningCall(), await runningCall(plain.agentId)];
  const addressOf = (invocationId: string) =>
    agent.deliveries.find((delivery) => delivery.invocationId === invocationId)?.headers['x-callback-url'];
  expect(addressOf(id)).toBe(`${market.config.PUBLIC_ORIGIN}${pathOf(id, tokenOf(id))}`);
  expect(addressOf(other)).toBeUndefined();
});

it('have an address whose token the buyer does not see in an answer', async () => {
  const { market, developer, buyer } = scene;
  const text = (headers: Record<string, unknown>) => String(headers['x-callback-url']);
  const reflecting = await startAgent({
    behaviour: ({ headers }) => ({ kind: 'answer', output: { text: `called with ${text(headers)}` } }),
  });
  const live = await putLive(market, developer.userId, reflecting.url, { jobs: { max_seconds: 600 } });
  const { body } = await invoke(market, buyer, live.agentId, { input: { text: 'x' } });
  const token = text(reflecting.deliveries[0]?.headers ?? {}).slice(-43);
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(JSON.stringify(body.output)).toContain('called with');
  expect(JSON.stringify(body.output)).not.toContain(token);
  await reflecting.stop();
});

/** The example of the page in a language, which reports and answers. */
function exampleIn(language: string): string {
  const page = readFileSync(join(__dirname, '../../../docs/jobs.md'), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
}

it.each([
  ['js', 'node', ['--input-type=module', '-e'], 'const url = process.env.CALLBACK_URL;'],
  ['python', 'python3', ['-c'], 'import os\nurl = os.environ["CALLBACK_URL"]'],
])('are signed by the example of the page in %s', async (language, command, args, first) => {
  const id = await newJob();
  const CALLBACK_URL = scene.market.url + pathOf(id, tokenOf(id));
  const env = { ...process.env, CALLBACK_URL, SIGNING_SECRET: scene.signingSecret };
  await promisify(execFile)(command, [...args, `${first}\n${exampleIn(language)}`], { env });
  expect((await jobOf(id))?.message).toBe('Read 12 of 30 sources');
  expect(JSON.parse((await endOf(id))?.text ?? '')).toEqual({ summary: '…' });
});

it('deliver the answer to the buyer, who pays once, while the agent knows only the header', async () => {
  const { market, developer, buyer } = scene;
  const job = await startAgent({ behaviour: { kind: 'answer', status: 202, output: {} } });
  const live = await putLive(market, developer.userId, job.url, { credits: 3, jobs: { max_seconds: 600 } });
  const { body } = await invoke(
    market,
    buyer,
    live.agentId,
    { input: { text: 'x' } },
    { prefer: 'respond-async' },
  );
  const id = String(body.invocation_id);
  await eventually(async () => (await jobOf(id)) !== undefined);
  const [delivery] = job.deliveries;
  const token = String(delivery?.headers['x-callback-url']).split('/').at(-1) ?? '';
  const sent = { token, secret: live.signingSecret, id: 'msg_end' };
  const answer = { type: 'answer', output: { text: 'after all' } };
  expect(await callBack(id, progress(0.5), { ...sent, id: 'msg_half' })).toMatchObject(ACCEPTED);
  expect(await callBack(id, answer, sent)).toMatchObject(ACCEPTED);
  const response = await fetch(`${market.url}/v1/invocations/${id}?wait=30`, {
    headers: { cookie: buyer.cookie },
  });
  const ended = (await response.json()) as { status: string; output?: unknown };
  expect(ended).toMatchObject({ status: 'succeeded', output: answer.output, usage: { credits_charged: 3 } });
  expect(await callBack(id, answer, sent)).toMatchObject(OVER);
  await job.stop();
});

it('store progress that never goes back, and the first end, encrypted', async () => {
  const id = await newJob();
  expect(await callBack(id, progress(0.5, 'Half of it: Grüße'))).toMatchObject(ACCEPTED);
  expect(await jobOf(id)).toEqual({ progress: 0.5, message: 'Half of it: Grüße' });
  expect(await callBack(id, progress(0.25, 'An old one'))).toMatchObject(ACCEPTED);
  expect(await jobOf(id)).toEqual({ progress: 0.5, message: 'Half of it: Grüße' });
  expect(await callBack(id, progress(0.75))).toMatchObject(ACCEPTED);
  expect(await jobOf(id)).toEqual({ progress: 0.75, message: 'Half of it: Grüße' });
  const output = { text: 'done \u0000', n: [1, null, { '10': 1e300 }] };
  expect(await callBack(id, { type: 'answer', output })).toMatchObject(ACCEPTED);
  expect(await endOf(id)).toEqual({ kind: 'answer', text: JSON.stringify(output) });
  const failed = await newJob();
  expect(await callBack(failed, { type: 'failure', message: 'No source answered' })).toMatchObject(ACCEPTED);
  expect(await endOf(failed)).toEqual({ kind: 'failure', text: 'No source answered' });
});

it('may end a call before its 202 has arrived, and report nothing then', async () => {
  const id = await runningCall();
  expect(await callBack(id, progress(0.5))).toMatchObject(ACCEPTED);
  expect(await callBack(id, { type: 'failure' })).toMatchObject(ACCEPTED);
  expect(await endOf(id)).toEqual({ kind: 'failure', text: '' });
});

it('count once for each webhook id, and only the first end counts', async () => {
  const id = await newJob();
  expect(await callBack(id, progress(0.1), { id: 'msg_1' })).toMatchObject(ACCEPTED);
  expect(await callBack(id, progress(0.9, 'x'), { id: 'msg_1' })).toMatchObject(ACCEPTED);
  expect(await jobOf(id)).toMatchObject({ message: null });
  expect((await jobOf(id))?.progress).toBeCloseTo(0.1);
  const same = { type: 'answer', output: 'first' };
  const both = await Promise.all([1, 2].map(() => callBack(id, same, { id: 'msg_2' })));
  expect(both).toMatchObject([ACCEPTED, ACCEPTED]);
  expect(await callBack(id, { type: 'answer', output: 'second' }, { id: 'msg_3' })).toMatchObject(OVER);
  expect(await callBack(id, { type: 'failure' }, { id: 'msg_4' })).toMatchObject(OVER);
  expect(await callBack(id, progress(0.95), { id: 'msg_5' })).toMatchObject(OVER);
  expect(await callBack(id, same, { id: 'msg_2' })).toMatchObject(ACCEPTED);
  expect(await endOf(id)).toEqual({ kind: 'answer', text: '"first"' });
  const parallel = await newJob();
  const race = await Promise.all(
    ['a', 'b', 'c'].map((output) => callBack(parallel, { type: 'answer', output })),
  );
  expect(race.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
});

it('wake the workflow of a job for its end alone', async () => {
  const { jobCallbacks } = scene.market.container;
  const id = await newJob();
  const end = { type: 'answer', output: Buffer.from('1'), webhookId: 'msg_1' } as const;
  const report = { type: 'progress', progress: 0.5, message: null, webhookId: 'msg_0' } as const;
  expect(await jobCallbacks.receive(id, report)).toEqual({ isNews: false });
  expect(await jobCallbacks.receive(id, end)).toEqual({ isNews: true });
  expect(await jobCallbacks.receive(id, end)).toEqual({ isNews: false });
});

it('are refused once the call is over', async () => {
  const id = await newJob();
  await fetch(`${scene.market.url}/v1/invocations/${id}`, {
    method: 'DELETE',
    headers: { cookie: scene.buyer.cookie },
  });
  for (const message of [progress(0.5), { type: 'answer', output: 1 }, { type: 'failure' }])
    expect(await callBack(id, message)).toMatchObject(OVER);
  expect(await endOf(id)).toBeUndefined();
  expect(await callBack(id, { type: 'answer', output: 1 }, { secret: newSigningSecret() })).toMatchObject(
    FORGED,
  );
});

it('are refused with a wrong token or for a call that does not exist, alike and without a query', async () => {
  const { container } = scene.market;
  const [id, other] = [await newJob(), await newJob()];
  const queries = jest.spyOn(container.pool, 'query');
  const answers = [
    await callBack(id, progress(0.5), { token: tokenOf(other) }),
    await callBack(id, progress(0.5), { token: 'x' }),
    await callBack('inv_1', progress(0.5)),
  ];
  // Their values may name a limit: counters are written in the background.
  const texts = queries.mock.calls.map(([query]) => textOf(query));
  queries.mockRestore();
  expect(texts.filter((text) => /invocation|agents/.test(text))).toEqual([]);
  answers.push(await callBack(newId('inv'), progress(0.5)));
  for (const answer of answers) {
    expect(answer).toMatchObject(UNKNOWN);
    expect(answer.answer.error).toEqual(answers[0]?.answer.error);
  }
  expect(await jobOf(id)).toEqual({ progress: null, message: null });
});

it('are refused unless a current secret of the agent signed these bytes within five minutes', async () => {
  const { market, developer, agent } = scene;
  const id = await newJob();
  const other = await putLive(market, developer.userId, agent.url);
  for (const sent of [
    { secret: newSigningSecret() },
    { secret: other.signingSecret },
    { at: seconds() - 310 },
    { at: seconds() + 310 },
    { headers: { 'webhook-id': 'another' } },
    { headers: { 'webhook-signature': '' } },
    { headers: { 'webhook-timestamp': 'NaN' } },
  ])
    expect(await callBack(id, progress(0.5), sent)).toMatchObject(FORGED);
  // The signature is checked before the body is parsed.
  expect(await callBack(id, 'not JSON', { secret: newSigningSecret() })).toMatchObject(FORGED);
  expect(await jobOf(id)).toEqual({ progress: null, message: null });
  const answer = await callBack(id, progress(0.5), { secret: other.signingSecret });
  expect(answer.answer.error?.message).toContain('signing secret');
});

it('are accepted by each secret that signs during a rotation, and by no secret that was ended', async () => {
  const { market, developer, agent } = scene;
  const rotating = await putLive(market, developer.userId, agent.url, {
    timeoutMs: 60_000,
    jobs: { max_seconds: 600 },
  });
  const id = await runningCall(rotating.agentId);
  const rotate = async (grace: number) => {
    const path = `/v1/developer/agents/${rotating.agentId}/rotate-signing-secret`;
    const response = await fetch(market.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: developer.cookie },
      body: JSON.stringify({ grace_seconds: grace }),
    });
    return ((await response.json()) as { signing_secret: string }).signing_secret;
  };
  const [first, second] = [rotating.signingSecret, await rotate(3_600)];
  for (const secret of [first, second])
    expect(await callBack(id, progress(0.5), { secret })).toMatchObject(ACCEPTED);
  const third = await rotate(0);
  for (const secret of [first, second])
    expect(await callBack(id, progress(0.5), { secret })).toMatchObject(FORGED);
  expect(await callBack(id, progress(0.5), { secret: third })).toMatchObject(ACCEPTED);
});

const TYPES = {
  detail: [
    { loc: ['body', 'type'], msg: 'must be one of progress, piece, milestone, answer, failure, question' },
  ],
};

it.each<[string, number, object?]>([
  ['', 400],
  ['{"type":"progress","progress":NaN}', 400],
  ['{"type":"progress","progress":1e999}', 400],
  ['{"type":"progress","progress":0.1,"progress":0.2}', 400],
  ['\ufeff{"type":"failure"}', 400],
  [`{"type":"answer","output":${'['.repeat(200)}${']'.repeat(200)}}`, 400],
  ['{"type":"answer","output":9007199254740993}', 400],
  ['{"type":"progress","progress":1e-300}', 202],
  ['{"type":"progress","progress":-0}', 202],
  ['{"type":"progress","progress":1}', 202],
  ['{"type":"progress","progress":1.0000001}', 422],
  ['{"type":"progress","progress":-1e-9}', 422],
  ['{"type":"progress","progress":"0.5"}', 422],
  ['{"type":"progress"}', 422],
  ['{"type":"progress","progress":0.5,"extra":1}', 422],
  [`{"type":"progress","progress":0.5,"message":"${'ä'.repeat(300)}"}`, 202],
  [`{"type":"progress","progress":0.5,"message":"${'ä'.repeat(301)}"}`, 422],
  ['{"type":"progress","progress":0.5,"message":"\\u0000"}', 422],
  ['{"type":"progress","progress":0.5,"message":"\\ud800"}', 422],
  ['{"type":"failure","message":null}', 422],
  ['{"type":"answer"}', 422],
  ['{"type":"piece","output":1}', 422],
  ['{"type":"pieces","piece":1}', 422, TYPES],
  ['{"type":"constructor"}', 422, TYPES],
  ['{"type":["answer"]}', 422, TYPES],
  ['{}', 422, TYPES],
  ['[]', 422, TYPES],
  ['null', 422, TYPES],
])('are read strictly (%#)', async (body, status, more = {}) => {
  job ??= newJob();
  const got = await callBack(await job, body);
  expect({ ...got.answer, status: got.status }).toMatchObject({ status, ...more });
});
let job: Promise<string> | undefined;

it('are refused once a job was given up, and what came before that counts', async () => {
  const { owner } = scene.market;
  const giveUp = async (id: string) =>
    (await owner.query<{ decided: boolean }>('SELECT job_give_up($1) AS decided', [id])).rows[0]?.decided;
  const [late, inTime] = [await newJob(), await newJob()];
  await owner.query('UPDATE jobs SET ends_at = now() WHERE invocation_id = ANY ($1)', [[late, inTime]]);
  expect(await callBack(inTime, { type: 'answer', output: { text: 'done' } })).toMatchObject(ACCEPTED);
  expect(await giveUp(inTime)).toBe(false);
  expect(await giveUp(late)).toBe(true);
  for (const message of [progress(0.5), { type: 'piece', piece: 1 }, { type: 'answer', output: {} }])
    expect(await callBack(late, message)).toMatchObject(OVER);
  expect(await endOf(late)).toBeUndefined();
});

it('beyond sixty a minute of a call are refused before they are checked, and cost other calls nothing', async () => {
  const [id, other] = [await newJob(), await newJob()];
  const flood = await Promise.all(
    Array.from({ length: 90 }, (_, at) => callBack(id, progress(at / 100), { secret: newSigningSecret() })),
  );
  const codes = flood.map(({ code }) => code);
  expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(60);
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(30);
  const refused = await callBack(id, progress(1));
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
  expect(await callBack(other, progress(1))).toMatchObject(ACCEPTED);
});

it('count against their call, and not against an address that agents share', async () => {
  const env = { RATE_LIMIT_PER_ADDRESS: '15', REFUSALS_BEFORE_LINE: '3' };
  const market = await startMarket({ share: scene.market, env });
  // Of the tests before, within the same minute. The market that they share may still write some of them.
  await scene.market.owner.query('DELETE FROM rate_limits');
  const [id, other] = [await newJob(), await newJob()];
  const statusOf = async (job: string, sent: Sent = {}) =>
    (await callBack(job, progress(0.5), sent, market.url)).status;
  const refused = { secret: newSigningSecret() };
  for (let at = 0; at < 10; at += 1) expect(await statusOf(id, refused)).toBe(401);
  for (let at = 0; at < 10; at += 1) expect(await statusOf(other)).toBe(202);
  const guesses: number[] = [];
  // On a busy machine they lie in two minutes, each with 15.
  while (guesses.at(-1) !== 429 && guesses.length < 32) {
    guesses.push(await statusOf(id, { token: `guess${guesses.length}` }));
  }
  expect(guesses.slice(0, 6)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(guesses.at(-1)).toBe(429);
  expect(await statusOf(other)).toBe(202);
  await market.stop();
});

it('are refused in another type or encoding, and when they are too large', async () => {
  const id = await newJob();
  expect(await callBack(id, progress(0.5), { headers: { 'content-type': 'text/plain' } })).toMatchObject({
    status: 415,
  });
  expect(await callBack(id, progress(0.5), { headers: { 'content-encoding': 'gzip' } })).toMatchObject({
    status: 415,
  });
  const envelope = JSON.stringify({ type: 'answer', output: '' }).length;
  const most = 10 * 1024 * 1024;
  const large = (bytes: number) => ({ type: 'answer', output: 'x'.repeat(bytes - envelope) });
  const tooLarge = { status: 413, code: 'payload_too_large' };
  const whole = envelope + most - 2;
  for (const bytes of [whole + 1, most + 2_000])
    expect(await callBack(id, large(bytes))).toMatchObject(tooLarge);
  expect(await callBack(await newJob(), large(whole))).toMatchObject(ACCEPTED);
  // A thread checks these.
  expect(await callBack(id, large(300_000), { secret: newSigningSecret() })).toMatchObject(FORGED);
  expect(await callBack(id, large(300_000))).toMatchObject(ACCEPTED);
  expect((await endOf(id))?.text.length).toBe(300_000 - envelope + 2);
});

it('have the limit that answers of the agent have at once, which is lower if they are priced by tokens', async () => {
  const { market, developer, agent } = scene;
  const priced = await putLive(market, developer.userId, agent.url, {
    timeoutMs: 60_000,
    pricing: { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 5 },
    jobs: { max_seconds: 600 },
  });
  const id = await newJob(priced.agentId);
  const sent = { secret: priced.signingSecret };
  const answer = (bytes: number) => ({ type: 'answer', output: 'x'.repeat(bytes - 2) });
  expect(await callBack(id, answer(1024 * 1024 + 1), sent)).toMatchObject({
    status: 413,
    answer: { error: { message: expect.stringContaining('at most 1048576') } },
  });
  expect(await endOf(id)).toBeUndefined();
  expect(await callBack(id, answer(1024 * 1024), sent)).toMatchObject(ACCEPTED);
});

it('wait with large answers while 100 MiB of their agent are not settled, and not with small ones', async () => {
  const { owner } = scene.market;
  const [large, small] = [await newJob(), await newJob()];
  await owner.query(
    `INSERT INTO job_ends (invocation_id, webhook_id, kind, body, agent_id)
     VALUES ('waits', 'msg_1', 'answer', convert_to(repeat('x', 105000000), 'UTF8'), $1)`,
    [scene.agentId],
  );
  const answer = { type: 'answer', output: 'x'.repeat(100_000) };
  const refused = await callBack(large, answer, { id: 'msg_large' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await callBack(small, { type: 'answer', output: {} })).toMatchObject(ACCEPTED);
  await owner.query(`DELETE FROM job_ends WHERE invocation_id = 'waits'`);
  expect(await callBack(large, answer, { id: 'msg_large' })).toMatchObject(ACCEPTED);
});

it('beyond six thousand a minute of a developer are refused, whatever their call', async () => {
  const id = await newJob();
  const { rateLimits } = scene.market.container;
  const all = { points: 1e9, windowMs: 60_000 };
  for (let at = 0; at < 6_000; at += 1) rateLimits.consume(`callbacks/${scene.developer.userId}`, all);
  expect(await callBack(id, progress(1))).toMatchObject({ status: 429, code: 'rate_limited' });
});

/** The text of a query without its values. */
const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : JSON.stringify((query as { text: string }).text);
