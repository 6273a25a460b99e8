import { type Behaviour, eventStream, lineStream } from '../../support/agents/behaviours';
import { chat, CHAT_SCHEMAS } from '../../support/calls/chat';
import type { TestManifestOptions } from '../../support/agents/manifest';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { registerDeveloper, request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';
import { realTime } from '../../support/waits';

/** A self-hosted agent's credential, from the developer's side (specification, "upstream_auth"). */
const TOKEN = 'sk_live_9f8e7d6c5b4a39281706';
const AUTH = { header: 'X-Agent-Key', key: `Bearer ${TOKEN}` };
const ANYTHING = { inputSchema: {}, outputSchema: {} };

const market = useMarket({});
let developer: TestUser;
let buyer: TestUser;
const agent = useAgent();

beforeAll(async () => {
  developer = await registerDeveloper(market);
  buyer = await register(market, 'buyer', 10_000);
});
afterEach(() => agent.forget());

/** A live agent that a developer hosts, with a credential. */
async function selfHosted(behaviour?: Behaviour, options: TestManifestOptions = {}): Promise<string> {
  if (behaviour) agent.behave(behaviour);
  const { agentId } = await putLive(market, developer.userId, agent.url, { ...ANYTHING, ...options });
  await market.owner.query(`UPDATE agents SET kind = 'http' WHERE agent_id = $1`, [agentId]);
  await setCredential(agentId, AUTH.key);
  return agentId;
}

const setCredential = (agentId: string, key: string, header = AUTH.header) =>
  market.container.credentials.store(
    market.container.pool,
    { agentId, endpointUrl: agent.url },
    { header, key },
  );

interface Notices {
  items: { code: string; message: string; version: string; first_seen_at: string }[];
  next_cursor: string | null;
  total: number;
}
const noticesOf = (agentId: string, who: TestUser = developer) =>
  request<Notices>(market, who, 'GET', `/v1/developer/agents/${agentId}/notices`);
const codesOf = async (agentId: string) => (await noticesOf(agentId)).body.items.map(({ code }) => code);

/** A server of the modern era whose tool repeats what it was sent. */
function mcpAnswer(how: string, value: string, body: Buffer): Behaviour {
  const { id, method } = JSON.parse(body.toString()) as { id: number; method: string };
  const rpc = (rest: object, status = 200): Behaviour => ({
    kind: 'answer',
    status,
    output: { jsonrpc: '2.0', id, ...rest },
  });
  if (method === 'server/discover') return rpc({ result: { supportedVersions: ['2026-07-28'] } });
  const error = { code: -32000, message: `wrong key ${value}` };
  if (how === 'error') return rpc({ error });
  if (how === 'status') return rpc({ error }, 500);
  const result = { content: [{ type: 'text', text: value }] };
  if (how === 'result') return rpc({ result });
  const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
  return { kind: 'stream', contentType: 'text/event-stream', parts: () => event };
}

/** The headers that an agent got, as it would dump them. */
const echoHeaders = () =>
  agent.behave(({ headers }) => ({ kind: 'answer', output: { headers, dump: JSON.stringify(headers) } }));

describe('the credential', () => {
  it('is sent with each call in its header, with the newest value', async () => {
    const agentId = await selfHosted({ kind: 'echo' });
    await invoke(market, buyer, agentId, { input: { text: 'a' } });
    await setCredential(agentId, 'another-value-0123456789', 'x-other');
    await invoke(market, buyer, agentId, { input: { text: 'a' } });
    await setCredential(agentId, '');
    await invoke(market, buyer, agentId, { input: { text: 'a' } });
    const sent = agent.deliveries.map(({ headers }) => [headers['x-agent-key'], headers['x-other']]);
    expect(sent).toEqual([
      [AUTH.key, undefined],
      [undefined, 'another-value-0123456789'],
      [undefined, undefined],
    ]);
    expect(await market.container.credentials.isSet(market.container.pool, agentId)).toBe(false);
  });

  it('is sealed in the database, with the version of its master key', async () => {
    const agentId = await selfHosted();
    const { rows } = await market.owner.query<{ sealed: Buffer; header: string; key_version: number }>(
      'SELECT * FROM upstream_credentials WHERE agent_id = $1',
      [agentId],
    );
    expect(rows).toMatchObject([{ header: 'x-agent-key', key_version: 1 }]);
    expect(rows[0]?.sealed.includes(TOKEN)).toBe(false);
  });

  it.each([
    ['to another agent', `agent_id`],
    ['to another header', `header`],
  ])(
    'cannot be opened after its row was moved %s: no request is sent, and the buyer pays nothing',
    async (_to, what) => {
      const victim = await selfHosted({ kind: 'echo' });
      const thief = await selfHosted({ kind: 'echo' });
      await market.owner.query(
        what === 'header'
          ? `UPDATE upstream_credentials SET header = 'x-thief' WHERE agent_id = $2 AND $1 <> ''`
          : `UPDATE upstream_credentials SET sealed = (SELECT sealed FROM upstream_credentials WHERE agent_id = $1)
            WHERE agent_id = $2`,
        [victim, thief],
      );
      const before = await balance(market.owner, buyer.userId, 'wallet');
      const reply = await invoke(market, buyer, thief, { input: {} });
      expect([reply.status, reply.body.error?.code]).toEqual([502, 'agent_unreachable']);
      expect(await codesOf(thief)).toEqual(['credential_unreadable']);
      expect(agent.deliveries).toEqual([]);
      expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(before);
      await expectWholeLedger(market);
    },
  );

  it('is not used if it was stored before short ones were refused, and its owner is notified', async () => {
    const agentId = await selfHosted({ kind: 'echo' });
    const { cipher, pool } = market.container;
    const context = { purpose: 'upstream-credential', agent_id: agentId, header: 'x-agent-key' };
    const sealed = await cipher.seal(Buffer.from('123456'), context);
    await pool.query('UPDATE upstream_credentials SET sealed = $2 WHERE agent_id = $1', [agentId, sealed]);
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect([reply.status, reply.body.error?.code]).toEqual([502, 'agent_unreachable']);
    expect(agent.deliveries).toEqual([]);
    expect((await noticesOf(agentId)).body.items).toMatchObject([
      { code: 'credential_too_short', message: expect.stringContaining('Set a longer one') as string },
    ]);
    await setCredential(agentId, AUTH.key);
    expect((await invoke(market, buyer, agentId, { input: {} })).status).toBe(200);
  });

  it('is refused in headers that are ours or frame the message', async () => {
    const agentId = await selfHosted();
    for (const header of ['host', 'Content-Length', 'x-invocation-id', 'a b', '']) {
      await expect(setCredential(agentId, 'x', header)).rejects.toThrow(/header_name/);
    }
    await expect(setCredential(agentId, 'a\r\nb')).rejects.toThrow('header_value_invalid');
  });
});

describe('an agent that repeats its headers', () => {
  it('in an answer: the value is masked before it is validated, stored or delivered', async () => {
    const agentId = await selfHosted();
    echoHeaders();
    const call = { input: {}, idempotency_key: 'echo-1' };
    const first = await invoke(market, buyer, agentId, call);
    const replay = await invoke(market, buyer, agentId, call);
    expect(first.status).toBe(200);
    expect(first.body.output).toMatchObject({ headers: { 'x-agent-key': 'Bearer [redacted]' } });
    expect(replay.body.output).toEqual(first.body.output);
    const seen = await request(market, buyer, 'GET', `/v1/invocations/${first.body.invocation_id}`);
    expect(seen.body['output']).toEqual(first.body.output);
    expect(JSON.stringify([first, replay, seen])).not.toContain(TOKEN);
  });

  it('shows neither its endpoint nor our signature, in any form, whatever kind it is', async () => {
    for (const kind of ['http', 'manifest']) {
      const { agentId } = await putLive(
        market,
        developer.userId,
        `${agent.url}/hooks/9aF3kQ7ZrX2mB6wV1tYp?format=markdown`,
        {
          inputSchema: {},
          outputSchema: { properties: { format: { enum: ['markdown', 'html'] } } },
        },
      );
      await market.owner.query('UPDATE agents SET kind = $2 WHERE agent_id = $1', [agentId, kind]);
      const sent: string[] = [];
      agent.behave(({ headers, path }) => {
        sent.push(String(headers['webhook-signature']).slice(3));
        const dump = Buffer.from(`${headers.host} ${sent[0]}`).toString('base64');
        return { kind: 'answer', output: { headers, path, dump, format: 'markdown' } };
      });
      const reply = await invoke(market, buyer, agentId, { input: { text: 'who are you?' } });
      expect(reply.body.output).toMatchObject({ format: 'markdown' });
      const seen = JSON.stringify(reply);
      expect(reply.body.output).toMatchObject({ headers: { 'webhook-signature': 'v1,[redacted]' } });
      expect(seen).not.toContain(new URL(agent.url).host);
      expect(seen).not.toContain('9aF3kQ7ZrX2mB6wV1tYp');
      expect(seen).not.toContain(sent[0]);
      expect(seen).not.toContain(Buffer.from(new URL(agent.url).hostname).toString('base64').slice(0, 10));
      await eventually(async () => (await codesOf(agentId)).join() === 'endpoint_in_answer');
    }
  });

  it('repeats the buyer’s text: a mask neither confirms nor refutes a guess of the credential', async () => {
    const agentId = await selfHosted({ kind: 'echo' });
    const { host } = new URL(agent.url);
    const said = { guess: TOKEN, other: 'sk_live_000000000000000', host, path: '/a/path' };
    const reply = await invoke(market, buyer, agentId, { input: said });
    expect(reply.body.output).toEqual(said);
    agent.behave(({ headers }) => ({ kind: 'answer', output: { headers } }));
    const asked = await invoke(market, buyer, agentId, { input: { guess: TOKEN.slice(0, -1) } });
    expect(asked.body.output).toMatchObject({ headers: { 'x-agent-key': 'Bearer [redacted]' } });
  });

  it('in an error: only the owner is notified', async () => {
    const agentId = await selfHosted();
    agent.behave(({ headers }) => ({ kind: 'answer', status: 500, output: { headers } }));
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect(reply).toMatchObject({ status: 502, body: { error: { code: 'agent_error' } } });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
    await eventually(async () => (await codesOf(agentId)).join() === 'credential_in_error');
  });

  it.each([
    ['events', eventStream],
    ['lines', lineStream],
  ])('in pieces of a stream of %s: no piece and no output shows it', async (_form, streamOf) => {
    const agentId = await selfHosted(undefined, CHAT_SCHEMAS);
    const said = `my key is Bearer ${TOKEN}, keep it`;
    agent.behave(streamOf([...said].map((sign) => ({ chunk: sign }))));
    const reply = await chat(market, buyer, agentId);
    expect(reply.last?.type).toBe('done');
    expect(reply.text).toBe('my key is Bearer [redacted], keep it');
    agent.behave(streamOf([...(said.match(/.{1,7}/gs) ?? []), { output: { text: said } }]));
    const collected = await invoke(market, buyer, agentId, { input: { messages: [], session_id: 's' } });
    expect(collected.body.output).toEqual({ text: 'my key is Bearer [redacted], keep it' });
    await eventually(async () => (await codesOf(agentId)).join() === 'credential_in_stream');
  });

  it('split between two packets: it is masked, too', async () => {
    const agentId = await selfHosted();
    const half = TOKEN.length / 2;
    agent.behave({
      kind: 'stream',
      contentType: 'application/json',
      parts: async function* () {
        yield `{"text":"${TOKEN.slice(0, half)}`;
        await realTime(50, 'what was written goes out as a packet of its own');
        yield `${TOKEN.slice(half)}"}`;
      },
    });
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect(reply.body.output).toEqual({ text: '[redacted]' });
  });

  it.each([
    [
      'text',
      'text/plain',
      (value: string) => Buffer.from(`key=${value}\n`),
      { output: 'key=Bearer [redacted]\n' },
    ],
    [
      'bytes that are no text',
      'application/octet-stream',
      (value: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(value)]),
      { output: Buffer.from('\xff\xfeBearer [redacted]', 'latin1').toString('base64') },
    ],
    [
      'another type',
      `text/x-${TOKEN}`,
      () => Buffer.from('hello'),
      { output: 'hello', content_type: 'application/octet-stream' },
    ],
  ])('in %s: answers of every type are masked', async (_what, contentType, bodyOf, expected) => {
    const agentId = await selfHosted(undefined, { outputSchema: null });
    agent.behave(({ headers }) => ({
      kind: 'stream',
      contentType,
      parts: () => [bodyOf(String(headers['x-agent-key']))],
    }));
    const reply = await invoke(market, buyer, agentId, { input: {} });
    expect(reply).toMatchObject({ status: 200, body: expected });
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
    await eventually(async () => (await codesOf(agentId)).join() === 'credential_in_answer');
  });

  it.each(['result', 'error', 'events', 'status'])('in an MCP %s: it is masked, too', async (how) => {
    const agentId = await selfHosted();
    await market.owner.query(`UPDATE agents SET kind = 'mcp' WHERE agent_id = $1`, [agentId]);
    agent.behave(({ headers, body }) => mcpAnswer(how, String(headers['x-agent-key']), body));
    const reply = await invoke(market, buyer, agentId, { input: { tool: 'look', arguments: {} } });
    expect(reply.status).toBe(how === 'result' || how === 'events' ? 200 : 502);
    if (reply.status === 200) {
      expect(reply.body.output).toEqual({ content: [{ type: 'text', text: 'Bearer [redacted]' }] });
    }
    expect(JSON.stringify(reply)).not.toContain(TOKEN);
    const code = how === 'status' ? 'credential_in_error' : 'credential_in_mcp_answer';
    await eventually(async () => (await codesOf(agentId)).join() === code);
  });

  it('makes one notice for each version and kind, however often it does it', async () => {
    const agentId = await selfHosted();
    echoHeaders();
    await Promise.all(Array.from({ length: 20 }, () => invoke(market, buyer, agentId, { input: {} })));
    agent.behave(({ headers }) => ({ kind: 'answer', status: 400, output: { headers } }));
    await invoke(market, buyer, agentId, { input: {} });
    await eventually(async () => (await codesOf(agentId)).length === 3);
    const { body } = await noticesOf(agentId);
    expect(body).toMatchObject({ next_cursor: null, total: 3 });
    const codes = ['credential_in_answer', 'credential_in_error', 'endpoint_in_answer'];
    expect(body.items.map(({ code }) => code).sort()).toEqual(codes);
    expect(body.items[0]).toMatchObject({ code: 'credential_in_error', version: '1.0.0' });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    const path = `/v1/developer/agents/${agentId}/notices?limit=2`;
    const page = await request<Notices>(market, developer, 'GET', path);
    const next = await request<Notices>(market, developer, 'GET', `${path}&cursor=${page.body.next_cursor}`);
    expect([...page.body.items, ...next.body.items]).toEqual(body.items);
    expect(next.body.next_cursor).toBeNull();
  });

  it('is visible to its owner alone', async () => {
    const agentId = await selfHosted();
    const other = await registerDeveloper(market);
    expect((await noticesOf(agentId, other)).status).toBe(404);
    expect((await noticesOf(agentId, buyer)).status).toBe(403);
    expect((await noticesOf(agentId)).body).toMatchObject({ items: [], total: 0 });
  });
});
