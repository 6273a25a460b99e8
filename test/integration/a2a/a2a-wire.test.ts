/** The rules of the wire that the official client keeps by itself: versions, headers, shapes of errors, bodies. */
import { randomUUID } from 'node:crypto';
import { a2a, type A2aReply, fetchAs } from '../../support/protocols/a2a';
import { register } from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene();

const V1 = { 'a2a-version': '1.0' };
type Json = Record<string, unknown>;
type Wire = A2aReply<Json & { result?: Json; jsonrpc?: string; id?: unknown }>;

const message = (data: unknown, more: Json = {}) => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data }], ...more },
});
const rest = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = V1,
  who = scene.buyer,
) => a2a<Json>(scene.market, who, method, `${scene.agentId}${path}`, body, headers) as Promise<Wire>;
const rpc = (method: string, params: unknown, headers: Record<string, string> = V1) =>
  rest('POST', '/rpc', { jsonrpc: '2.0', id: 7, method, params }, headers);
const reasonOf = ({ body }: Wire): unknown => {
  const details = (body.error?.details ?? body.error?.data ?? []) as { reason?: string }[];
  return details[0]?.reason;
};

describe('versions', () => {
  it('reads a missing version as 0.3, which has neither HTTP+JSON here nor methods of 1.0', async () => {
    const asRest = await rest('POST', '/message:send', message({ text: 'x' }), {});
    expect([asRest.status, reasonOf(asRest)]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
    const asRpc = await rpc('SendMessage', message({ text: 'x' }), {});
    expect([asRpc.status, asRpc.body.error?.code]).toEqual([400, -32_009]);
    const other = await rest('GET', '/tasks', undefined, { 'a2a-version': '2.0' });
    expect([other.status, reasonOf(other)]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
  });

  it('takes the version from the query as well', async () => {
    const sent = await rest('POST', '/message:send?A2A-Version=1.0', message({ text: 'query' }), {});
    expect(sent.status).toBe(200);
    const task = sent.body['task'] as { id: string; status: Json };
    expect(task.status['state']).toBe('TASK_STATE_COMPLETED');
    const standard = await rest('GET', `/tasks/${task.id}?A2A-Version=1.0`, undefined, {});
    expect(standard.body['id']).toBe(task.id);
    expect(standard.headers.get('content-type')).toMatch(/^application\/a2a\+json/);
    const polled = await rest('GET', `/tasks/${task.id}`, undefined, {});
    expect(polled.body).toMatchObject({ task_id: task.id, status: 'succeeded', output: { text: 'query' } });
    expect(polled.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('errors', () => {
  const unknownTask = `inv_${'0'.repeat(32)}`;

  it.each([
    ['GetTask', `/tasks/${unknownTask}`, 'GET', -32_001, 404, 'TASK_NOT_FOUND'],
    ['CancelTask', `/tasks/${unknownTask}:cancel`, 'POST', -32_001, 404, 'TASK_NOT_FOUND'],
    ['GetExtendedAgentCard', '/extendedAgentCard', 'GET', -32_007, 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ])('%s has its code and status', async (name, path, method, code, status, reason) => {
    const asRest = await rest(method, path);
    expect([asRest.status, reasonOf(asRest), asRest.body.error?.code]).toEqual([status, reason, status]);
    const asRpc = await rpc(name, { id: unknownTask });
    expect([asRpc.status, asRpc.body.error?.code, reasonOf(asRpc)]).toEqual([200, code, reason]);
    expect(asRpc.body).toMatchObject({ jsonrpc: '2.0', id: 7 });
  });

  it.each([
    ['GetTask', { id: 'a\u0000' }, -32_001],
    ['CancelTask', { id: 'a\u0000' }, -32_001],
    ['ListTasks', { contextId: 'a\u0000' }, -32_602],
    ['ListTaskPushNotificationConfigs', { taskId: 'a\u0000' }, -32_001],
    ['SendMessage', message({ text: 'x' }, { taskId: 'a\u0000' }), -32_001],
  ])('%s finds nothing under a name that no database can hold', async (name, params, code) => {
    const reply = await rpc(name, params);
    expect([reply.status, reply.body.error?.code]).toEqual([200, code]);
  });

  it('has our envelope on the paths of the specification, and the shapes of the protocol elsewhere', async () => {
    const stranger = null as unknown as typeof scene.buyer;
    const asRest = await rest('POST', '/message:send', message({ text: 'x' }), V1, stranger);
    expect(asRest.status).toBe(401);
    expect(asRest.body.error).toMatchObject({ code: 401, status: 'UNAUTHENTICATED' });
    expect(reasonOf(asRest)).toBe('NOT_AUTHENTICATED');
    const asRpc = await rest('POST', '/rpc', { jsonrpc: '2.0', id: 1, method: 'GetTask' }, V1, stranger);
    expect(asRpc.status).toBe(401);
    expect(asRpc.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 } });
    const ours = await rest('GET', `/tasks/${unknownTask}`, undefined, {}, stranger);
    for (const { headers } of [asRest, asRpc, ours]) {
      expect(headers.get('www-authenticate')).toContain('ApiKey realm="market"');
    }
    expect([ours.status, ours.body.error?.code]).toEqual([401, 'not_authenticated']);
    const created = await rest('POST', '/tasks', { input: {} }, V1);
    expect([created.status, created.body.error?.code]).toEqual([422, 'validation_failed']);
  });

  it('reads bodies strictly', async () => {
    const broken = await rest('POST', '/rpc', '{"jsonrpc":"2.0","id":1,"id":2}');
    expect([broken.status, broken.body.error?.code]).toEqual([400, -32_700]);
    const asRest = await rest('POST', '/message:send', '{nonsense');
    expect([asRest.status, reasonOf(asRest)]).toEqual([400, 'MALFORMED_JSON']);
    for (const contentType of [
      'text/plain',
      'application/json-patch+json',
      'application/x+json',
      'application/json; charset=utf-16',
    ]) {
      const headers = { ...V1, 'content-type': contentType };
      const type = await rest('POST', '/message:send', '{}', headers);
      expect([contentType, type.status, reasonOf(type)]).toEqual([
        contentType,
        415,
        'CONTENT_TYPE_NOT_SUPPORTED',
      ]);
      const call = await rest(
        'POST',
        '/rpc',
        '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}',
        headers,
      );
      expect([contentType, call.status, call.body.error?.code]).toEqual([contentType, 415, -32_005]);
    }
    for (const contentType of ['application/a2a+json; charset=utf-8', 'application/json; profile="x"']) {
      const headers = { ...V1, 'content-type': contentType };
      const call = await rest(
        'POST',
        '/rpc',
        '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}',
        headers,
      );
      expect([contentType, call.status, call.body.error]).toEqual([contentType, 200, undefined]);
    }
    const method = await rpc('NoSuchMethod', {});
    expect(method.body.error?.code).toBe(-32_601);
    const none = await rest('POST', `/tasks/${unknownTask}:cancel`, undefined, V1);
    expect(none.status).toBe(404);
  });

  it.each<[string, unknown, number | null]>([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} }], null],
    ['another version', { jsonrpc: '1.0', id: 2, method: 'GetTask', params: {} }, 2],
    ['no version', { id: 3, method: 'GetTask', params: {} }, 3],
    ['no method', { jsonrpc: '2.0', id: 4, params: {} }, 4],
    ['a method that is no text', { jsonrpc: '2.0', id: 5, method: 6, params: {} }, 5],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'GetTask', params: {} }, null],
    ['text', '"GetTask"', null],
  ])('refuses %s as a JSON-RPC request: -32600', async (_name, body, id) => {
    const reply = await rest('POST', '/rpc', body);
    expect([reply.status, reply.body.error?.code]).toEqual([200, -32_600]);
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', id });
  });

  it('of the service have its domain and their own status, in both forms', async () => {
    const key = { ...V1, 'idempotency-key': 'k'.repeat(300) };
    const asRest = await rest('POST', '/message:send', message({ text: 'x' }), key);
    const asRpc = await rpc('SendMessage', message({ text: 'x' }), key);
    const stream = await rpc('SendStreamingMessage', message({ text: 'x' }), key);
    const info = { reason: 'INVALID_HEADER', domain: 'io.market' };
    expect([asRest.status, asRest.body]).toMatchObject([400, { error: { details: [info] } }]);
    for (const reply of [asRpc, stream]) {
      expect([reply.status, reply.body]).toMatchObject([
        400,
        { id: 7, error: { code: -32_602, data: [info] } },
      ]);
    }
    const push = { url: 'https://127.0.0.1/hook' };
    const sent = { ...message({ text: 'x' }), configuration: { taskPushNotificationConfig: push } };
    const unsafe = await rpc('SendMessage', sent);
    expect(unsafe.status).toBe(422);
    expect(unsafe.body.error).toMatchObject({
      code: -32_602,
      data: [{ reason: 'UNSAFE_URL', domain: 'io.market' }],
    });
  });

  it.each([
    ['no part', [], 'INVALID_PARAMS'],
    ['two data parts', [{ data: { text: 'a' } }, { data: { text: 'b' } }], 'INVALID_PARAMS'],
    ['data that is no object', [{ data: [1] }], 'INVALID_PARAMS'],
    ['data with a text beside it', [{ text: 'please' }, { data: { text: 'data' } }], 'INVALID_PARAMS'],
    ['a text that is JSON with a key twice', [{ text: '{"text":"a","text":"b"}' }], 'INVALID_PARAMS'],
    [
      'a file',
      [{ url: 'https://example.com/x.pdf', mediaType: 'application/pdf' }],
      'CONTENT_TYPE_NOT_SUPPORTED',
    ],
  ])('refuses a message with %s', async (_name, parts, reason) => {
    const reply = await rest('POST', '/message:send', message(null, { parts }));
    expect([reply.status, reasonOf(reply)]).toEqual([400, reason]);
  });
});

describe('messages', () => {
  const send = async (more: Json, configuration?: Json) => {
    const reply = await rest('POST', '/message:send', {
      ...message(null, more),
      ...(configuration && { configuration }),
    });
    return reply.body['task'] as {
      id: string;
      status: { state: string; message?: Json };
      artifacts: Json[];
      history?: Json[];
      metadata: Json;
    };
  };

  it.each([
    ['a text that fills the one required text', [{ text: 'plain words' }], { text: 'plain words' }],
    ['a text that is a JSON object', [{ text: '{"text":"json","n":3}' }], { text: 'json', n: 3 }],
  ])('takes %s', async (_name, parts, output) => {
    const task = await send({ parts });
    expect(task.artifacts).toEqual([
      {
        artifactId: `${task.id}-output`,
        name: 'output',
        parts: [{ data: output, mediaType: 'application/json' }],
      },
    ]);
  });

  it('answers a large message in full, and keeps its history without the long parts', async () => {
    const long = 'é"x'.repeat(200_000);
    const parts = [{ data: { text: long }, metadata: { mine: 1 } }];
    const task = await send({ parts });
    const artifact = { parts: [{ data: { text: long }, mediaType: 'application/json' }] };
    expect([task.status, task.artifacts]).toMatchObject([{ state: 'TASK_STATE_COMPLETED' }, [artifact]]);
    const omitted = {
      mine: 1,
      'io.market/omitted_characters': JSON.stringify({ data: { text: long } }).length,
    };
    expect(task.history?.[0]?.['parts']).toEqual([{ text: '', metadata: omitted }]);
    const asRpc = await rpc('GetTask', { id: task.id });
    expect(asRpc.body.result?.['artifacts']).toMatchObject([artifact]);
    expect((await rest('GET', `/tasks/${task.id}`, undefined, {})).body['output']).toEqual({ text: long });
    const listed = await rest('GET', '/tasks?includeArtifacts=true&pageSize=1');
    expect(listed.body['tasks']).toMatchObject([{ id: task.id, artifacts: [artifact] }]);
    const sent = { jsonrpc: '2.0', id: 7, method: 'SendStreamingMessage', params: message({ text: long }) };
    const stream = await fetchAs(
      scene.market,
      scene.buyer,
      V1,
    )(`${scene.market.url}/v1/a2a/${scene.agentId}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    const events = (await stream.text()).split('\n\n').filter((event) => event.includes('artifactUpdate'));
    const updates = events.map((event) => JSON.parse(event.slice('data: '.length)) as { result: Json });
    expect(updates).toMatchObject([{ result: { artifactUpdate: { artifact } } }]);
  });

  it('refuses a large message that is not suitable as a small one', async () => {
    const odd = await rpc('SendMessage', message(null, { parts: [{ data: ['x'.repeat(300_000)] }] }));
    expect([odd.body.error?.code, odd.body.error?.message]).toEqual([
      -32_602,
      'The data of the message is not an object.',
    ]);
    const rest = await rpc('SendMessage', message({ text: 'x' }, { metadata: { x: 'x'.repeat(300_000) } }));
    expect([rest.status, reasonOf(rest)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('rejects a task that it cannot accept, and stores the reason', async () => {
    const task = await send({ parts: [{ data: { nothing: 1 } }] });
    expect(task.status.state).toBe('TASK_STATE_REJECTED');
    expect(task.metadata['io.market/error_code']).toBe('input_schema_mismatch');
    const polled = await rest('GET', `/tasks/${task.id}`, undefined, {});
    expect(polled.body).toMatchObject({ status: 'rejected', error: { code: 'input_schema_mismatch' } });
    expect(task.history).toHaveLength(1);
    const odd = await send({ parts: [{ data: { text: 'x', 'a\u0000\ud800': 1 } }] });
    expect(odd.status.state).toBe('TASK_STATE_REJECTED');
    const large = await send({ parts: [{ data: { nothing: 'x'.repeat(10_000) } }] });
    expect([large.status.state, large.history]).toEqual(['TASK_STATE_REJECTED', undefined]);
    const ceiling = await send({
      parts: [{ data: { text: 'x' } }],
      metadata: { 'io.market/max_cost_credits': 1 },
    });
    expect(ceiling.status.state).toBe('TASK_STATE_REJECTED');
    expect(ceiling.metadata['io.market/error_code']).toBe('max_cost_exceeded');
  });

  it('reports the missing credits to a caller in the form of x402', async () => {
    const poor = await register(scene.market, 'buyer', 3);
    const reply = await rest('POST', '/message:send', message({ text: 'x' }), V1, poor);
    const task = reply.body['task'] as { status: { state: string; message: { metadata: Json } } };
    expect(task.status.state).toBe('TASK_STATE_REJECTED');
    expect(task.status.message.metadata).toMatchObject({
      'x402.payment.status': 'payment-required',
      'x402.payment.required': { x402Version: 2, accepts: [{ scheme: 'credits', amount: '10' }] },
    });
  });

  it('names the mandate extension if it is declared, and refuses an invalid mandate', async () => {
    const uri = `${scene.market.config.PUBLIC_ORIGIN}/ext/spend-mandate/v1`;
    const headers = { ...V1, 'a2a-extensions': `https://example.com/other, ${uri}` };
    const forged = { [uri]: { type: 'a2a.spend.v1', jws: 'e30.e30.e30' } };
    const reply = await rest('POST', '/message:send', message({ text: 'x' }, { metadata: forged }), headers);
    expect(reply.headers.get('a2a-extensions')).toBe(uri);
    const task = reply.body['task'] as { status: { state: string }; metadata: Json; history: Json[] };
    expect([task.status.state, task.metadata['io.market/error_code']]).toEqual([
      'TASK_STATE_REJECTED',
      'mandate_invalid',
    ]);
    expect(JSON.stringify(task.history)).not.toContain('e30.e30.e30');
  });
});
