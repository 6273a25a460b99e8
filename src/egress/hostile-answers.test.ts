/** Whatever a server answers, a call ends at its limits or at its deadline, and leaves nothing open. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { testCertificates } from '../../test/support/agents/authority';
import type { Behaviour } from '../../test/support/agents/behaviours';
import { startAgent } from '../../test/support/agents/test-agent';
import { failureWith, startEgressFixture, type EgressFixture } from '../../test/support/stack/egress';
import { eventually, realTime } from '../../test/support/waits';

const GIB = 1024 ** 3;
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const raw = (bytes: string, stays = false): Behaviour => ({ kind: 'raw', bytes, stays });
const drips = (first: string, then: string): Behaviour => ({ kind: 'drips', first, then, everyMs: 5 });

let fixture: EgressFixture;

beforeAll(async () => {
  fixture = await startEgressFixture();
});
afterAll(async () => {
  expect(fixture.breakOuts()).toBe(0);
  await fixture.stop();
});

describe('an answer that breaks a limit or a rule ends the call at once', () => {
  it.each<[string, Behaviour, string]>([
    ['more bytes than allowed', { kind: 'huge', bytes: 2_000_000 }, 'too_large'],
    ['more bytes announced than allowed', { kind: 'huge', bytes: 2_000_000, announced: true }, 'too_large'],
    ['1 GiB', { kind: 'huge', bytes: GIB }, 'too_large'],
    ['1 GiB announced', { kind: 'huge', bytes: GIB, announced: true }, 'too_large'],
    ['101 headers', { kind: 'many_headers', count: 101, bytes: 1 }, 'bad_response'],
    ['10,000 headers', { kind: 'many_headers', count: 10_000, bytes: 1 }, 'bad_response'],
    ['17 KB of headers', { kind: 'many_headers', count: 17, bytes: 1_000 }, 'bad_response'],
    ['headers without an end', drips(OK, `x-more: ${'x'.repeat(500)}\r\n`), 'bad_response'],
    ['one header without an end', drips(`${OK}x-long: `, 'x'.repeat(500)), 'bad_response'],
    ['trailers without an end', drips(`${CHUNKED}0\r\n`, `x-more: ${'x'.repeat(500)}\r\n`), 'bad_response'],
    ['gzip', { kind: 'encoded', encoding: 'gzip', body: gzipSync(Buffer.alloc(100_000_000)) }, 'bad_response'],
    ['brotli', { kind: 'encoded', encoding: 'br', body: Buffer.from('x') }, 'bad_response'],
    ['something encoded', { kind: 'encoded', encoding: 'x', body: Buffer.from('{}') }, 'bad_response'],
    ['identity, then gzip', { kind: 'encoded', encoding: 'identity, gzip', body: Buffer.from('{}') }, 'bad_response'],
    ['a redirect', { kind: 'redirect', location: 'https://127.0.0.1:1/' }, 'redirect'],
    ['not modified', { kind: 'answer', output: {}, status: 304 }, 'redirect'],
    ['half of itself', { kind: 'dies_mid_answer' }, 'bad_response'],
    ['nothing', { kind: 'dies_before_answer' }, 'unreachable'],
    ['no HTTP', raw('SSH-2.0-OpenSSH_9.2\r\n'), 'bad_response'],
    ['two lengths', raw(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`), 'bad_response'],
    ['a length that is none', raw(`${OK}content-length: 2x\r\n\r\n{}`), 'bad_response'],
    ['a length below zero', raw(`${OK}content-length: -2\r\n\r\n{}`), 'bad_response'],
    ['two framings', raw(`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`), 'bad_response'],
    ['less than announced', raw(`${OK}content-length: 20\r\n\r\n{}`), 'bad_response'],
    ['more than announced', raw(`${OK}content-length: 2\r\n\r\n{}{}`), 'bad_response'],
    ['a second answer', raw(`${OK}content-length: 2\r\n\r\n{}${OK}content-length: 2\r\n\r\n[]`, true), 'bad_response'],
    ['a chunk that is too long', raw(`${CHUNKED}2\r\n{}{}\r\n0\r\n\r\n`), 'bad_response'],
    ['a chunk of absurd size', raw(`${CHUNKED}ffffffffffffffffff\r\n`), 'bad_response'],
    ['another protocol', raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'), 'bad_response'],
  ])('%s', async (_what, behaviour, kind) => {
    const startedAt = performance.now();
    expect((await failureWith(fixture, behaviour, { timeoutMs: 10_000 })).kind).toBe(kind);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  }); // prettier-ignore
});

describe('an answer that does not end is ended at the deadline', () => {
  it.each<[string, Behaviour]>([
    ['silence', { kind: 'hangs' }],
    ['an answer that is too late', { kind: 'slow', ms: 5_000 }],
    ['one byte each 100 ms', { kind: 'trickle', everyMs: 100 }],
    ['early hints for ever', { kind: 'endless_hints', everyMs: 5 }],
    ['less than announced, and silence', raw(`${OK}content-length: 20\r\n\r\n{}`, true)],
    ['half a status line', raw('HTTP/1.1 2', true)],
    ['a reason without an end', drips('HTTP/1.1 200 ', 'x'.repeat(1_000))],
    ['a chunk extension without an end', drips(`${CHUNKED}1;`, 'x'.repeat(1_000))],
    ['half a header', drips(`${OK}x-slow: `, 'x')],
  ])('%s', async (_what, behaviour) => {
    const timeoutMs = 800;
    const startedAt = performance.now();
    expect((await failureWith(fixture, behaviour, { timeoutMs })).kind).toBe('timeout');
    const ms = performance.now() - startedAt;
    expect(ms).toBeGreaterThan(timeoutMs * 0.9);
    expect(ms).toBeLessThan(timeoutMs * 1.1 + 50); // 50 ms: starting and stopping the agent
  });
});

describe('a server that answers before it is asked', () => {
  it('does not answer the next call with it', async () => {
    const answerOf = (text: string) => `${OK}content-length: ${text.length}\r\n\r\n${text}`;
    const { leaf } = await testCertificates();
    let early = 0;
    const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (socket) => {
      let request = '';
      socket.setNoDelay().on('error', () => undefined);
      socket.on('data', (bytes: Buffer) => {
        request += bytes.toString();
        if (!request.endsWith('}')) return;
        request = '';
        socket.write(answerOf('"asked for"'));
        void realTime(5, 'the first answer was read').then(() =>
          socket.write(answerOf('"too early"'), () => (early += 1)),
        );
      });
    }).listen(0, '127.77.0.1');
    await once(server, 'listening');
    const url = `https://127.77.0.1:${(server.address() as AddressInfo).port}/`;
    for (let count = 1; count <= 3; count += 1) {
      expect((await fixture.call(url)).body.toString()).toBe('"asked for"');
      await eventually(() => early >= count, 5_000, 5);
      await realTime(50, 'it has arrived');
    }
    server.close();
  });
});

describe('the memory stays small', () => {
  const grownBy = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.memoryUsage().rss;
    await work();
    return (process.memoryUsage().rss - before) / 1024 ** 2;
  };

  it('when a megabyte comes as tiny chunks', async () => {
    const chunk = `1\r\n \r\n`.repeat(10_000);
    const dripping = await startAgent({ behaviour: raw(`${CHUNKED}${chunk.repeat(100)}0\r\n\r\n`) });
    const options = { timeoutMs: 15_000, maxResponseBytes: 2_000_000 };
    let length = 0;
    const megabytes = await grownBy(async () => {
      length = (await fixture.call(dripping.url, options)).body.length;
    });
    expect(length).toBe(1_000_000);
    expect(megabytes).toBeLessThan(250);
    await dripping.stop();
  }, 20_000);

  it('when 1 GiB comes, or a bomb of gzip', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000));
    const behaviours: Behaviour[] = [
      { kind: 'huge', bytes: GIB },
      { kind: 'encoded', encoding: 'gzip', body: bomb },
    ];
    for (const behaviour of behaviours) {
      expect(await grownBy(() => failureWith(fixture, behaviour))).toBeLessThan(100);
    }
  });
});
