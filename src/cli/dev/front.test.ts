import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { createAuthority, issueLeaf } from '../../kit/crypto/certificates';
import { compileSchema } from '../../kit/schemas/schema-compiler';
import { startFront } from './front';

const said: string[] = [];
/** The header `X-Callback-Url` that the agent got last. */
let seen: string | string[] | undefined;
let takesJobs = true;
let agent: Server;
let front: Server;
let ca: string;

beforeAll(async () => {
  agent = createServer((req, res) => {
    void text(req).then((body) => {
      if (req.url === '/stream')
        return res.setHeader('content-type', 'text/event-stream').end('data: "a"\n\n');
      if (req.url === '/lost') return req.socket.destroy();
      if (req.url?.startsWith('/job')) {
        const location = /location=(.+)/.exec(req.url)?.[1];
        if (req.method === 'GET')
          return res
            .writeHead(req.url === '/job/open' ? 202 : 200, { 'content-type': 'application/json' })
            .end('{"words":"1"}');
        seen = req.headers['x-callback-url'];
        return res.writeHead(202, location ? { location } : {}).end();
      }
      const words = (JSON.parse(body) as { text: string }).text === 'many' ? 'many' : 1;
      return res.setHeader('content-type', 'application/json').end(JSON.stringify({ words }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => agent.once('listening', resolve));
  const authority = await createAuthority();
  const { certPem, keyPem } = await issueLeaf(authority, { ips: ['127.0.0.1'] });
  ca = authority.certPem;
  const input = compileSchema({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  });
  const output = compileSchema({ type: 'object', properties: { words: { type: 'integer' } } });
  front = await startFront({
    host: '127.0.0.1',
    port: 0,
    keyPem,
    certPem,
    agent: { port: (agent.address() as AddressInfo).port, ready: () => Promise.resolve() },
    relay: { addressOf: (url) => `http://127.0.0.1:1/of?${url}` },
    checks: () => ({ input, output, takesJobs }),
    say: (line) => said.push(line.replace(/\d+ ms/, '1 ms')),
  });
});
afterAll(() => {
  agent.close();
  front.close();
});

async function call(
  path: string,
  body: object,
  more: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; body: string }> {
  said.length = 0;
  const { port } = front.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method: 'POST', ca, agent: false, ...more }, (answer) => {
      text(answer).then((read) => resolve({ status: answer.statusCode, body: read }), reject);
    })
      .once('error', reject)
      .end(more.method === 'GET' ? undefined : JSON.stringify(body));
  });
}

describe('market dev', () => {
  it('passes a call on and reports that the answer matches', async () => {
    expect(await call('/invoke', { text: 'one' })).toEqual({ status: 200, body: '{"words":1}' });
    expect(said).toEqual(['POST /invoke 200 1 ms  matches output_schema']);
  });

  it('names each field of an answer that a buyer would get back as a refund', async () => {
    expect((await call('/invoke', { text: 'many' })).status).toBe(200);
    expect(said.join('\n')).toContain(
      'does not match output_schema: buyers get a refund\n    words: must be integer',
    );
  });

  it('reports that the agent accepted an input that its schema forbids', async () => {
    await call('/invoke', { text: 1 });
    expect(said.join('\n')).toContain(
      'accepted an input that does not match input_schema\n    text: must be string',
    );
  });

  it('passes streams on as they come', async () => {
    expect((await call('/stream', { text: 'one' })).body).toBe('data: "a"\n\n');
    expect(said).toEqual(['POST /stream 200 1 ms  streamed']);
  });

  it('answers 502 when the agent drops the connection', async () => {
    expect((await call('/lost', { text: 'one' })).status).toBe(502);
    expect(said[0]).toContain('POST /lost failed: socket hang up');
  });

  it('gives the agent an address of its own to call back at, and says how a job goes on', async () => {
    const headers = { 'x-callback-url': 'http://market.test/v1/callbacks/inv_1/token' };
    expect((await call('/job', { text: 'one' }, { headers })).status).toBe(202);
    expect(seen).toBe('http://127.0.0.1:1/of?http://market.test/v1/callbacks/inv_1/token');
    expect(said).toEqual(['POST /job 202 1 ms  taken as a job: the agent calls its answer back']);
    await call('/job?location=/job/7', { text: 'one' });
    expect(said[0]).toMatch(/taken as a job: the agent is asked at \/job\/7$/);
  });

  it('names a Location of another origin, and a 202 of an agent that declares no jobs', async () => {
    await call('/job?location=https://elsewhere.test/7', { text: 'one' });
    expect(said[0]).toMatch(
      /Location https:\/\/elsewhere.test\/7 has another origin .* refund \(agent_error\)$/,
    );
    takesJobs = false;
    await call('/job', { text: 'one' });
    takesJobs = true;
    expect(said[0]).toMatch(/declares no capabilities.jobs: buyers get a refund/);
  });

  it('checks the answer of a job that is asked for', async () => {
    const asked = { method: 'GET', headers: { 'webhook-signature': 'v1,AAAA' } };
    await call('/job/open', {}, asked);
    expect(said).toEqual(['GET /job/open 202 1 ms  the job goes on']);
    await call('/job/7', {}, asked);
    expect(said[0]).toContain(
      'does not match output_schema: buyers get a refund\n    words: must be integer',
    );
  });
});
