/**
 * Unusual answers of real servers: accepted if their meaning is clear, else named in the error.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { testCertificates } from '../../test/support/agents/authority';
import { startAgent } from '../../test/support/agents/test-agent';
import {
  failureOf,
  failureWith,
  requestTo,
  startEgressFixture,
  type EgressFixture,
} from '../../test/support/stack/egress';
import { realTime } from '../../test/support/waits';

const OK = 'HTTP/1.1 200 OK\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const EMPTY = `${OK}content-length: 2\r\n\r\n{}`;

let fixture: EgressFixture;
const servers: Server[] = [];

beforeAll(async () => {
  fixture = await startEgressFixture();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await fixture.stop();
});

/** A server that handles each request by `onRequest`; returns its URL. `count` is of the connection. */
async function serverWith(
  onRequest: (socket: Socket, count: number) => void | Promise<void>,
): Promise<string> {
  const { leaf } = await testCertificates();
  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (socket) => {
    let text = '';
    let count = 0;
    socket.setNoDelay().on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (!text.endsWith('}')) return;
      text = '';
      count += 1;
      void onRequest(socket, count);
    });
  }).listen(0, '127.77.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `https://127.77.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A server of one answer, written in these pieces. */
const answering = (...pieces: string[]) =>
  serverWith(async (socket) => {
    for (const piece of pieces) {
      socket.write(piece);
      await realTime(5, 'what was written goes out as a packet of its own');
    }
  });

describe('an unrequested 100 Continue', () => {
  it.each([
    ['in one piece with the answer', [CONTINUE + EMPTY]],
    ['by itself', [CONTINUE, EMPTY]],
    [
      'several times, between hints',
      [CONTINUE + CONTINUE, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', CONTINUE, EMPTY],
    ],
    ['byte by byte', [...CONTINUE, EMPTY]],
    ['with headers', ['HTTP/1.1 100 Continue\r\nx: 100\r\n\r\n', EMPTY]],
  ])('is ignored: %s', async (_how, pieces) => {
    const url = await answering(...pieces);
    expect((await fixture.call(url)).body.toString()).toBe('{}');
    expect((await fixture.call(url)).body.toString()).toBe('{}');
  });

  it('does not parse bytes of a body as another status line', async () => {
    const body = `{"a":"HTTP/1.1 100 Continue"}`;
    const url = await answering(`${CONTINUE}${OK}content-length: ${body.length}\r\n\r\n${body}`);
    expect((await fixture.call(url)).body.toString()).toBe(body);
  });
});

describe('Content-Encoding', () => {
  it.each(['', 'identity', 'IDENTITY, identity', ', ,'])('%j means no coding', async (encoding) => {
    const agent = await startAgent({ behaviour: { kind: 'encoded', encoding, body: Buffer.from('{}') } });
    expect((await fixture.call(agent.url)).body.toString()).toBe('{}');
    await agent.stop();
  });

  it.each(['utf-8', 'none', 'identity, gzip'])('%j is named in the error', async (encoding) => {
    const failure = await failureWith(fixture, { kind: 'encoded', encoding, body: Buffer.from('{}') });
    expect(failure).toMatchObject({ kind: 'bad_response' });
    expect(failure.message).toContain(`"${encoding}"`);
  });
});

it('names two lengths of one answer', async () => {
  const bytes = `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`;
  expect((await failureWith(fixture, { kind: 'raw', bytes })).message).toContain('Content-Length');
});

describe('a connection that is reset when it is used again', () => {
  const resetting = () =>
    serverWith((socket, count) => void (count === 1 ? socket.write(EMPTY) : socket.destroy()));

  it('is replaced once for a request that may be repeated', async () => {
    const url = await resetting();
    for (let call = 0; call < 4; call += 1)
      expect((await fixture.call(url, { repeatable: true })).status).toBe(200);
  });

  it('fails a request that may not be repeated', async () => {
    const url = await resetting();
    expect((await fixture.call(url)).status).toBe(200);
    expect((await failureOf(fixture.call(url))).kind).toBe('unreachable');
  });

  it('is not used for a request that may not be repeated once it was idle for a second', async () => {
    const url = await resetting();
    expect((await fixture.call(url)).status).toBe(200);
    await realTime(1_100, 'the time without a request');
    expect((await fixture.call(url)).status).toBe(200);
  });

  it('is not replaced twice, and not when an answer had begun', async () => {
    const always = await serverWith((socket) => void socket.destroy());
    expect((await failureOf(fixture.call(always, { repeatable: true }))).kind).toBe('unreachable');
    const half = await serverWith((socket, count) => {
      socket.write(count === 1 ? EMPTY : 'HTTP/1.1 200 OK\r\n', () => count > 1 && socket.destroy());
    });
    expect((await fixture.call(half, { repeatable: true })).status).toBe(200);
    expect((await failureOf(fixture.call(half, { repeatable: true }))).kind).toBe('unreachable');
  });
});

describe('a request that needs only the status', () => {
  it.each([
    ['a large body', `content-length: 100000\r\n\r\n${'x'.repeat(1_000)}`],
    ['a body without an end', 'transfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n'],
    ['an encoded body', 'content-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc'],
    ['101 headers', `${'x: y\r\n'.repeat(101)}content-length: 0\r\n\r\n`],
    ['20 KB of headers', `x: ${'y'.repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`],
    ['two lengths', 'content-length: 2\r\ncontent-length: 2\r\n\r\n{}'],
    ['half a body', 'content-length: 20\r\n\r\n{}'],
  ])('gets the status in spite of %s', async (_what, rest) => {
    const url = await answering(`HTTP/1.1 202 Accepted\r\n${rest}`);
    const startedAt = performance.now();
    expect((await fixture.egress.notify(requestTo(url))).status).toBe(202);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('gives headers and error statuses back, and uses a connection again', async () => {
    const busy = await answering('HTTP/1.1 429 Too Many\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n');
    const answer = await fixture.egress.notify(requestTo(busy));
    expect([answer.status, answer.header('retry-after')]).toEqual([429, '7']);
    let connections = 0;
    const small = await serverWith((socket, count) => {
      if (count === 1) connections += 1;
      socket.write(EMPTY);
    });
    for (let call = 0; call < 3; call += 1) {
      expect((await fixture.egress.notify(requestTo(small))).status).toBe(200);
      await realTime(20, 'the end of an answer has arrived');
    }
    expect(connections).toBe(1);
  });

  it.each([
    ['a small body', 'content-length: 5\r\n\r\nhello', 'hell'],
    ['a body of unknown length', '\r\nhello', 'hell'],
    ['a large body', 'content-length: 9000000\r\n\r\nhello', 'hell'],
    ['less than it announces', 'content-length: 9\r\n\r\nhe', 'he'],
    ['no body', 'content-length: 0\r\n\r\n', ''],
  ])('gives the beginning of %s if it is asked for', async (_what, rest, sample) => {
    const url = await answering(`HTTP/1.1 500 No\r\n${rest}`);
    const answer = await fixture.egress.notify({ ...requestTo(url), sampleBytes: 4 });
    expect([answer.status, (await answer.sample).toString()]).toEqual([500, sample]);
  });

  it('fails on a redirect, and on an answer without a status', async () => {
    const moved = await answering('HTTP/1.1 307 Moved\r\nlocation: /mcp/\r\ncontent-length: 0\r\n\r\n');
    const failure = await failureOf(fixture.egress.notify(requestTo(moved)));
    expect([failure.kind, failure.location]).toEqual(['redirect', '/mcp/']);
    expect((await failureOf(fixture.egress.notify(requestTo(await answering('SSH-2.0\r\n'))))).kind).toBe(
      'bad_response',
    );
  });
});
