/** The service connects to public hosts only, whatever a name or an address looks like. */
import { networkInterfaces } from 'node:os';
import type { DnsRecord, DnsRecords } from '../../test/support/agents/dns-server';
import {
  AGENT_NAME,
  egressSettings,
  failureOf,
  requestTo,
  startEgressFixture,
  type EgressFixture,
} from '../../test/support/stack/egress';
import { createEgress } from './agent-call';
import type { EgressError } from './egress-error';

/** Loopback and other insides, as IPv6 shows them. */
const IPV6_DISGUISES: Record<string, string> = {
  loopback: '::1',
  unspecified: '::',
  mapped: '::ffff:127.0.0.1',
  'mapped-private': '::ffff:10.0.0.1',
  compatible: '::7f00:1',
  nat64: '64:ff9b::7f00:1',
  'nat64-local': '64:ff9b:1::7f00:1',
  'six-to-four': '2002:7f00:1::',
  teredo: '2001:0:4136:e378:8000:63bf:80ff:fffe',
  'unique-local': 'fd00::1',
  'cloud-metadata': 'fd00:ec2::254',
  'link-local': 'fe80::1',
  'site-local': 'fec0::1',
  multicast: 'ff02::1',
  discard: '100::1',
  'dummy-prefix': '100:0:0:1::1',
  documentation: '3fff::1',
  'segment-routing': '5f00::1',
  'outside-global': '4000::1',
};

let hasTurned = false;
const GOOD = '127.77.0.1';
const BAD = '127.0.0.1';
const flips = (good: string[], bad: string[]) => (earlier: number) => (earlier % 2 === 0 ? good : bad);
const own = Object.values(networkInterfaces()).flatMap((entries) => entries?.map((e) => e.address) ?? []);

const RECORDS: Record<string, DnsRecord | ((earlier: number, type: string) => DnsRecord)> = {
  flips: flips([GOOD], [BAD]),
  'flips-later': () => (hasTurned ? [BAD] : [GOOD]),
  'flips-family': (earlier, type) => (type === 'A' ? [GOOD] : earlier % 2 === 0 ? [] : ['::1']),
  'flips-mixed': flips([GOOD], [GOOD, BAD]),
  mixed: [GOOD, BAD],
  'mixed-last-of-many': [...Array.from({ length: 15 }, (_unused, at) => `127.77.0.${at + 1}`), BAD],
  mixed6: [GOOD, '::1'],
  meta: ['169.254.169.254'],
  azure: ['168.63.129.16'],
  private: ['10.0.0.1'],
  shared: ['100.100.100.200'],
  ours: own.filter((address) => !address.startsWith('fe80')),
  inside: [BAD],
  'alias-inside': { alias: 'inside.fixtures.example' },
};

const names = (): DnsRecords => {
  const all = { ...RECORDS };
  for (const [name, address] of Object.entries(IPV6_DISGUISES)) all[`v6-${name}`] = [address];
  return Object.fromEntries(
    Object.entries(all).map(([name, record]) => [`${name}.fixtures.example`, record]),
  );
};

let fixture: EgressFixture;
const urlOf = (name: string) => `https://${name}.fixtures.example:${fixture.agent.port}/`;

beforeAll(async () => {
  fixture = await startEgressFixture(names());
});
beforeEach(() => {
  fixture.agent.behave({ kind: 'echo' });
  fixture.agent.forget();
});
afterEach(() => expect(fixture.breakOuts()).toBe(0));
afterAll(() => fixture.stop());

/** How often each outcome came of so many calls, four at a time. */
async function outcomes(url: string, count: number): Promise<Record<string, number>> {
  const seen: Record<string, number> = {};
  let left = count;
  const caller = async () => {
    while (left-- > 0) {
      const outcome = await fixture.call(url).then(
        () => 'answered',
        (error: EgressError) => error.kind,
      );
      seen[outcome] = (seen[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  return seen;
}

it('listens on forbidden addresses that a connection would reach', () => {
  expect(fixture.forbidden).toContain(BAD);
  expect(fixture.forbidden.length).toBeGreaterThan(1);
});

describe('a name that changes between a public and an internal address', () => {
  it('makes no connection to the forbidden address in 1,000 calls, over kept connections too', async () => {
    const { answered = 0, unsafe_url: refused = 0 } = await outcomes(urlOf('flips'), 1_000);
    expect(answered + refused).toBe(1_000);
    // about half each: a query that a busy machine repeats turns the name once more
    expect(Math.abs(answered - refused)).toBeLessThan(100);
    expect(fixture.agent.deliveries).toHaveLength(answered);
    expect(await fixture.agent.openConnections()).toBeLessThanOrEqual(4);
  });

  it.each(['flips-family', 'flips-mixed'])(
    'is refused whenever one address is forbidden: %s',
    async (name) => {
      const { answered = 0, unsafe_url: refused = 0 } = await outcomes(urlOf(name), 40);
      expect(answered + refused).toBe(40);
      expect(Math.min(answered, refused)).toBeGreaterThan(10);
    },
  );

  it('is refused if it resolves to an internal address after it was vetted and called', async () => {
    expect(await fixture.egress.vetUrl(urlOf('flips-later'))).toMatchObject({ ok: true });
    for (let count = 0; count < 2; count += 1) await fixture.call(urlOf('flips-later'));
    hasTurned = true;
    for (let count = 0; count < 3; count += 1) {
      expect((await failureOf(fixture.call(urlOf('flips-later')))).kind).toBe('unsafe_url');
    }
    expect(fixture.agent.deliveries).toHaveLength(2);
  });
});

describe('a name of an internal address', () => {
  it.each([
    ...[
      'mixed',
      'mixed-last-of-many',
      'mixed6',
      'meta',
      'azure',
      'private',
      'shared',
      'ours',
      'alias-inside',
    ],
    ...Object.keys(IPV6_DISGUISES).map((name) => `v6-${name}`),
  ])('is refused: %s', async (name) => {
    const failure = await failureOf(fixture.call(urlOf(name)));
    expect(failure).toMatchObject({ kind: 'unsafe_url', rule: 'url_host_not_public' });
    expect(failure.message).not.toMatch(/\d+\.\d+|::/);
    expect(fixture.agent.deliveries).toHaveLength(0);
  });
});

describe('an internal address', () => {
  it.each([
    ...[
      '127.0.0.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1.',
      '0.0.0.0',
      '0',
      'localhost',
    ],
    ...['①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '169.254.169.254', '10.0.0.1', '[::ffff:7f00:1]'],
    ...Object.values(IPV6_DISGUISES).map((address) => `[${address}]`),
    ...own.map((address) => (address.includes(':') ? `[${address}]` : address)),
  ])('is refused in the spelling %s', async (host) => {
    const failure = await failureOf(fixture.call(`https://${host}:${fixture.agent.port}/`));
    expect(failure.kind).toBe('unsafe_url');
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is not followed', async (status) => {
    const { agent, forbidden } = fixture;
    for (const host of forbidden) {
      const location = `https://${host.includes(':') ? `[${host}]` : host}:${agent.port}/`;
      agent.behave({ kind: 'redirect', location, status });
      expect((await failureOf(fixture.call(agent.url))).kind).toBe('redirect');
    }
    agent.behave({ kind: 'redirect', location: '/elsewhere', status });
    expect((await failureOf(fixture.call(agent.url))).kind).toBe('redirect');
    expect(agent.deliveries.map(({ path }) => path)).not.toContain('/elsewhere');
  });
});

describe('this service', () => {
  it('does not call its own public host, nor what the settings call its own', async () => {
    const { dns, agent } = fixture;
    const PUBLIC_ORIGIN = 'https://market.fixtures.example';
    const EGRESS_OWN = `other.fixtures.example, 127.77.0.1`;
    const careful = createEgress(
      egressSettings({ EGRESS_DNS_SERVERS: dns.address, PUBLIC_ORIGIN, EGRESS_OWN }),
    );
    const kindsOf = async (url: string) => {
      const { kind, rule } = await failureOf(careful.post(requestTo(url)));
      return [kind, rule];
    };
    expect(await kindsOf('https://market.fixtures.example/')).toEqual(['unsafe_url', 'url_host_is_ours']);
    expect(await kindsOf('https://OTHER.fixtures.example.:8443/')).toEqual([
      'unsafe_url',
      'url_host_is_ours',
    ]);
    expect(await kindsOf(agent.url)).toEqual(['unsafe_url', 'url_host_is_ours']);
    expect(await kindsOf(`https://${AGENT_NAME}:${agent.port}/`)).toEqual([
      'unsafe_url',
      'url_host_not_public',
    ]);
    expect(agent.deliveries).toHaveLength(0);
    await careful.close();
  });

  it('uses no proxy of the environment', async () => {
    const proxy = `http://127.0.0.1:${fixture.agent.port}`;
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTPS_PROXY: proxy,
      https_proxy: proxy,
      ALL_PROXY: proxy,
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      const EGRESS_DNS_SERVERS = fixture.dns.address;
      const egress = createEgress(egressSettings({ EGRESS_DNS_SERVERS }));
      expect((await egress.post(requestTo(`https://${AGENT_NAME}:${fixture.agent.port}/`))).status).toBe(200);
      await egress.close();
    } finally {
      process.env = before;
    }
  });
});

it('refuses a host at registration without the reason', async () => {
  const { egress, agent } = fixture;
  for (const name of ['mixed', 'private', 'unknown', 'alias-inside', 'v6-mapped']) {
    const verdict = await egress.vetUrl(urlOf(name));
    expect(verdict).toEqual({ ok: false, rule: 'url_host_not_public' });
  }
  expect(await egress.vetUrl(`https://${AGENT_NAME}/`)).toMatchObject({ ok: true });
  expect(await egress.vetUrl(agent.url)).toMatchObject({ ok: true });
  expect(await egress.vetUrl(`http://${AGENT_NAME}/`)).toEqual({ ok: false, rule: 'url_not_https' });
});
