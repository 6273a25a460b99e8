import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { TEST_CA_FILE, testCertificates } from '../../test/support/agents/authority';
import { startAgent, type TestAgent } from '../../test/support/agents/test-agent';
import { createPinnedPool, NotConnected, type Lease, type PinnedPoolOptions } from './pinned-pool';
import { eventually } from '../../test/support/waits';

let agent: TestAgent;
let pool: ReturnType<typeof createPinnedPool>;

beforeAll(async () => {
  await testCertificates();
  agent = await startAgent();
});

beforeEach(() => agent.behave({ kind: 'echo' }));
afterEach(() => pool.close());
afterAll(() => agent.stop());

function makePool(options: Partial<PinnedPoolOptions> = {}) {
  pool = createPinnedPool({ extraCaPem: readFileSync(TEST_CA_FILE, 'utf8'), ...options });
  return pool;
}

const take = (host = 'agent.fixtures.example', ip = '127.77.0.1') => pool.acquire(host, agent.port, ip);

async function call(lease: Lease): Promise<number> {
  const { statusCode, body } = await lease.client.request({ method: 'POST', path: '/', body: '{}' });
  await body.dump();
  return statusCode;
}

async function untilConnections(count: number): Promise<void> {
  await eventually(async () => (await agent.openConnections()) === count, 5_000, 5);
}

it('uses a released connection again, and gives parallel calls one each', async () => {
  makePool();
  const first = take();
  const second = take();
  expect(second.client).not.toBe(first.client);
  expect(await Promise.all([call(first), call(second)])).toEqual([200, 200]);
  expect(await agent.openConnections()).toBe(2);
  first.release();
  expect(pool.freeConnections()).toBe(1);
  const again = take();
  expect(again.client).toBe(first.client);
  again.release();
  second.release();
});

it('keeps connections apart by host, port and address', async () => {
  makePool();
  const lease = take();
  await call(lease);
  lease.release();
  expect(take('other.fixtures.example').client).not.toBe(lease.client);
  expect(take('agent.fixtures.example', '127.77.0.2').client).not.toBe(lease.client); // not connected before a call
  expect(pool.freeConnections()).toBe(1);
});

it('connects to the given address, whatever the name resolves to elsewhere', async () => {
  makePool();
  const lease = pool.acquire('localhost.fixtures.example', agent.port, '127.77.0.1');
  expect(await call(lease)).toBe(200);
  lease.release();
  const elsewhere = pool.acquire('agent.fixtures.example', agent.port, '127.77.0.32');
  await expect(call(elsewhere)).rejects.toBeInstanceOf(NotConnected);
});

it('closes a discarded connection at once and fails the call on it', async () => {
  makePool();
  agent.behave({ kind: 'hangs' });
  const lease = take();
  const running = expect(call(lease)).rejects.toThrow('enough');
  agent.forget();
  await agent.waitForDeliveries(1);
  lease.discard(new Error('enough'));
  await running;
  await untilConnections(0);
});

it('closes a connection whose TLS handshake never ends', async () => {
  makePool();
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined).resume())).listen(
    0,
    '127.77.0.1',
  );
  await once(silent, 'listening');
  const lease = pool.acquire('agent.fixtures.example', (silent.address() as AddressInfo).port, '127.77.0.1');
  const running = expect(call(lease)).rejects.toThrow();
  await eventually(() => sockets.length > 0, 5_000, 2);
  const closed = once(sockets[0] as Socket, 'close');
  lease.discard(new Error('enough'));
  await Promise.all([running, closed]);
  silent.close();
});

it('aborts a handshake that takes too long', async () => {
  makePool({ connectTimeoutMs: 300 });
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.77.0.1');
  await once(silent, 'listening');
  const lease = pool.acquire('agent.fixtures.example', (silent.address() as AddressInfo).port, '127.77.0.1');
  const startedAt = performance.now();
  await expect(call(lease)).rejects.toBeInstanceOf(NotConnected);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  lease.discard(new Error('over'));
  silent.close();
});

it('keeps a bounded number of addresses, and closes the least recently used one', async () => {
  makePool({ maxAddresses: 2 });
  const leases = ['a', 'b'].map((name) => take(`${name}.fixtures.example`));
  for (const lease of leases) await call(lease);
  for (const lease of leases) lease.release();
  await untilConnections(2);
  take('a.fixtures.example').release();
  const third = take('c.fixtures.example');
  expect(pool.freeConnections()).toBe(1);
  await untilConnections(1);
  const again = take('a.fixtures.example');
  expect(again.client).toBe(leases[0]?.client);
  again.release();
  third.release();
});

it('closes a connection that comes back after its address was dropped', async () => {
  makePool({ maxAddresses: 1 });
  const lease = take('a.fixtures.example');
  await call(lease);
  take('b.fixtures.example');
  await untilConnections(1);
  lease.release();
  await untilConnections(0);
});

it('drops addresses that were not used for a while', async () => {
  makePool({ idleMs: 100 });
  const lease = take();
  await call(lease);
  lease.release();
  await untilConnections(0);
  expect(pool.freeConnections()).toBe(0);
});
