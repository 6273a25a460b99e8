import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { startDns, type TestDns } from '../../test/support/agents/dns-server';
import {
  AGENT_NAME,
  failureOf,
  startEgressFixture,
  type EgressFixture,
} from '../../test/support/stack/egress';
import { createResolver, type EgressResolver } from './resolver';

const SLOW = 'slow.fixtures.example';
const GOOD = ['127.77.0.1'];

let fixture: EgressFixture;
let named: string;
let silent: Socket;
const opened: EgressResolver[] = [];

beforeAll(async () => {
  fixture = await startEgressFixture({
    [SLOW]: 'hangs',
    'broken.fixtures.example': 'fails',
    'garbage.fixtures.example': 'garbage',
    'empty.fixtures.example': [],
    'half-silent.fixtures.example': (_earlier, type) => (type === 'A' ? GOOD : 'hangs'),
    'half-broken.fixtures.example': (_earlier, type) => (type === 'A' ? GOOD : 'fails'),
  });
  named = `https://${AGENT_NAME}:${fixture.agent.port}/`;
  silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(async () => {
  for (const resolver of opened) resolver.close();
  silent.close();
  await fixture.stop();
});

function resolverOf(servers: string): EgressResolver {
  const resolver = createResolver(servers);
  opened.push(resolver);
  return resolver;
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, ms: performance.now() - startedAt };
}

describe('a name that does not resolve', () => {
  it.each(['broken', 'unknown', 'empty'])('is unreachable when it is %s', async (name) => {
    expect((await failureOf(fixture.call(`https://${name}.fixtures.example/`))).kind).toBe('unreachable');
  });

  it.each(['slow', 'garbage'])('fails within 2 s when its server is %s', async (name) => {
    const url = `https://${name}.fixtures.example/`;
    const { value, ms } = await timed(failureOf(fixture.call(url, { timeoutMs: 10_000 })));
    expect(value.kind).toBe('unreachable');
    expect(ms).toBeLessThan(2_300);
  });

  it('counts against the deadline of the call', async () => {
    const { value, ms } = await timed(failureOf(fixture.call(`https://${SLOW}/`, { timeoutMs: 300 })));
    expect(value.kind).toBe('timeout');
    expect(ms).toBeGreaterThan(250);
    expect(ms).toBeLessThan(1_500);
  });
});

describe('a name with addresses of both families', () => {
  it('is called by one family when the server does not answer for the other', async () => {
    const { port } = fixture.agent;
    expect((await fixture.call(`https://half-broken.fixtures.example:${port}/`)).status).toBe(200);
    expect((await fixture.call(`https://half-silent.fixtures.example:${port}/`)).status).toBe(200);
  });
});

describe('a DNS server', () => {
  it('that is dead or silent makes names unreachable within 2 s', async () => {
    const refusing = createSocket('udp4').bind(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port } = refusing.address();
    refusing.close();
    for (const servers of [`127.0.0.1:${port}`, `127.0.0.1:${silent.address().port}`]) {
      const { value, ms } = await timed(failureOf(resolverOf(servers).resolve(AGENT_NAME)));
      expect(value.kind).toBe('unreachable');
      expect(ms).toBeLessThan(2_300);
    }
  });

  it('that is silent is replaced by the next one', async () => {
    const resolver = resolverOf(`127.0.0.1:${silent.address().port},${fixture.dns.address}`);
    expect(await resolver.resolve(AGENT_NAME)).toEqual(GOOD);
  });

  it('is queried again although the TTL of its answer has not passed', async () => {
    const dns: TestDns = await startDns({ [AGENT_NAME]: (earlier) => [`127.77.0.${earlier + 1}`] }, 3_600);
    const resolver = resolverOf(dns.address);
    const answers = [await resolver.resolve(AGENT_NAME), await resolver.resolve(AGENT_NAME)];
    expect(answers).toEqual([['127.77.0.1'], ['127.77.0.2']]);
    await dns.stop();
  });

  it('is named in the error if the setting is invalid', () => {
    expect(() => createResolver('dns.example')).toThrow(/^EGRESS_DNS_SERVERS: /);
  });
});

describe('a storm of calls to a slow name', () => {
  async function medianOfCalls(goesOn: (count: number) => boolean): Promise<number> {
    const times: number[] = [];
    while (goesOn(times.length)) times.push((await timed(fixture.call(named))).ms);
    return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
  }

  it('does not slow calls to other names, and queries the name only a few times', async () => {
    await medianOfCalls((count) => count < 60);
    const before = await medianOfCalls((count) => count < 60);
    const asked = fixture.dns.queriesOf(SLOW);
    const storm = Array.from({ length: 200 }, () =>
      timed(failureOf(fixture.call(`https://${SLOW}/`, { timeoutMs: 10_000 }))),
    );
    let isOver = false;
    const all = Promise.all(storm).finally(() => (isOver = true));
    const during = await medianOfCalls(() => !isOver);
    expect(during).toBeLessThan(before * 2 + 5);
    for (const { value, ms } of await all) {
      expect(value.kind).toBe('unreachable');
      expect(ms).toBeLessThan(2_500);
    }
    const tries = 2;
    const families = 2;
    expect(fixture.dns.queriesOf(SLOW) - asked).toBeLessThanOrEqual(8 * tries * families);
  });

  it('ends with the storm: the name is queried again', async () => {
    const asked = fixture.dns.queriesOf(SLOW);
    await failureOf(fixture.call(`https://${SLOW}/`, { timeoutMs: 100 }));
    expect(fixture.dns.queriesOf(SLOW)).toBeGreaterThan(asked);
  });
});
