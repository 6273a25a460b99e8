/**
 * Clients that hold connections and the room for bodies without sending anything (docs/threats.md, "Availability: one
 * tenant must not slow the others").
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { createUploads, UPLOAD_LIMITS } from '../../../src/api/bodies/uploads';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { testRoutes } from '../../support/accounts/echo-route';
import { eventually, realTime } from '../../support/waits';

const MIB = 1024 * 1024;
const uploads = createUploads({ ...UPLOAD_LIMITS, windowMs: 1_000, patienceMs: 5_000 });
let api: TestApi;
let cookies: string[];
const sockets: Socket[] = [];

beforeAll(async () => {
  api = await startTestApi({ uploads, routes: [testRoutes()], limits: { headersTimeout: 800 } });
  cookies = await Promise.all(['attacker@example.com', 'victim@example.com'].map(signUp));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => api.close());

async function signUp(email: string): Promise<string> {
  const person = { email, password: 'long enough', displayName: 'A', role: 'buyer' };
  const { headers } = await request(api.url).post('/v1/auth/register').send(person).expect(201);
  return (headers['set-cookie'] as unknown as string[])[0]?.split(';')[0] ?? '';
}

/** A client that never closes its half of the connection. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const port = Number(new URL(api.url).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function declare(bytes: number, sent: Buffer, cookie = cookies[0]): Promise<Socket> {
  const socket = await open('127.0.0.2');
  const head = `POST /v1/echo/thing_a HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: ${bytes}\r\n\r\n`);
  socket.write(sent);
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

const connectionsOf = ({ server }: Pick<typeof api, 'server'>) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

const echo = (body: object) =>
  request(api.url).post('/v1/echo/thing_a').set('cookie', cookies[1] ?? '').send(body); // prettier-ignore

it('counts bytes when they arrive, so that declared lengths block no other client', async () => {
  await Promise.all(Array.from({ length: 40 }, () => declare(12 * MIB, Buffer.from('{'))));
  await eventually(() => uploads.heldBytes === 40);
  await echo({ input: {} }).expect(200);
  await echo({ input: { text: 'x'.repeat(11 * MIB) } }).expect(200);
});

it('leaves room for other clients while one client uploads as much as it may', async () => {
  await Promise.all(Array.from({ length: 30 }, () => declare(12 * MIB, Buffer.alloc(400 * 1024, '['))));
  await realTime(300, 'bytes arrive until the server reads no more');
  expect(uploads.heldBytes).toBeLessThan(UPLOAD_LIMITS.largeBytes / 2);
  await echo({ input: {} }).expect(200);
  await echo({ input: { text: 'x'.repeat(11 * MIB) } }).expect(200);
});

it('ends a body that arrives too slowly, and its connection', async () => {
  const socket = await declare(12 * MIB, Buffer.from('{'));
  const trickle = setInterval(() => socket.write(' '), 50);
  const answer = await answerOf(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"code":"request_timeout"');
  clearInterval(trickle);
  await once(socket, 'end');
  await eventually(() => Promise.resolve(uploads.heldBytes === 0));
});

it('destroys connections whose clients ignore their 408', async () => {
  const many = await Promise.all(Array.from({ length: 50 }, () => open()));
  const answers = await Promise.all(
    many.map((socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
      return answerOf(socket);
    }),
  );
  expect(answers.every((answer) => answer.startsWith('HTTP/1.1 408 '))).toBe(true);
  await eventually(async () => (await connectionsOf(api)) === 0);
});

it('bounds the connections of an address', async () => {
  const bounded = await startTestApi({ database: api.database, limits: { connectionsPerAddress: 20 } });
  const port = Number(new URL(bounded.url).port);
  const dial = (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  try {
    const crowd = Array.from({ length: 60 }, () => dial('127.0.0.2'));
    await Promise.all(crowd.map((socket) => once(socket, 'connect')));
    await eventually(async () => (await connectionsOf(bounded)) === 20);
    const other = dial('127.0.0.3');
    other.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await answerOf(other)).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of sockets.splice(0)) socket.destroy();
    await bounded.close();
  }
});
