import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { isAllowedAddress } from './url-rules';
import { createPolicy, parseNets } from './policy';

const settings = { EGRESS_ALLOW: '', EGRESS_DENY: '', PUBLIC_ORIGIN: 'https://market.example.com' };
const strict = createPolicy(settings);

describe('the address rule', () => {
  it.each(['8.8.8.8', '93.184.216.34', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'])(
    'allows %s',
    (ip) => expect(isAllowedAddress(ip, 443, strict)).toBe(true),
  );

  it.each([
    '0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.77.0.1', '169.254.169.254', '172.16.0.1',
    '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1',
    '255.255.255.255', '168.63.129.16', '::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1',
    '100::1', '100:0:0:1::1', '2001::1', '2001:2::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '4000::1', '5f00::1', 'fc00::1',
    'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', 'fe80::1%eth0', '::ffff:168.63.129.16',
  ])('refuses %s', (ip) => expect(isAllowedAddress(ip, 443, strict)).toBe(false)); // prettier-ignore

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '010.0.0.1',
    '1.2.3.4.5',
    '8.8.8.8:443',
    '[::1]',
    ' 8.8.8.8',
  ])('refuses what is not a plain address: %j', (ip) =>
    expect(isAllowedAddress(ip, 443, strict)).toBe(false),
  );

  it('refuses the addresses of this machine, public or not', () => {
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own) expect(isAllowedAddress(address, 443, strict)).toBe(false);
    const public_ = { ...strict, ownAddresses: () => new Set(['93.184.216.34']) };
    expect(isAllowedAddress('93.184.216.34', 443, public_)).toBe(false);
    expect(isAllowedAddress('::ffff:93.184.216.34', 443, public_)).toBe(false);
  });

  it('agrees with a second list of forbidden IPv4 nets on random addresses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (number) => {
        const ip = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
        if (isAllowedAddress(ip, 443, strict)) expect(inForbiddenNet(number)).toBe(false);
        else expect(inForbiddenNet(number) || inUnusualNet(number)).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('lets no IPv6 address pass outside 2000::/3 (random)', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const ip = groups.map((value) => value.toString(16)).join(':');
        const isGlobal = ((groups[0] ?? 0) & 0xe000) === 0x2000;
        if (!isGlobal) expect(isAllowedAddress(ip, 443, strict)).toBe(false);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('the settings', () => {
  it('allow opens a net for its ports only, and deny is stronger', () => {
    const policy = createPolicy({
      ...settings,
      EGRESS_ALLOW: '127.77.0.0/16:9000-9100, [fd00:77::/32]:9443,10.1.0.0/16',
      EGRESS_DENY: '127.77.9.0/24,8.8.8.0/24',
    });
    expect(isAllowedAddress('127.77.0.5', 9_050, policy)).toBe(true);
    expect(isAllowedAddress('127.77.0.5', 9_101, policy)).toBe(false);
    expect(isAllowedAddress('127.78.0.5', 9_050, policy)).toBe(false);
    expect(isAllowedAddress('127.0.0.1', 9_050, policy)).toBe(false);
    expect(isAllowedAddress('127.77.9.1', 9_050, policy)).toBe(false);
    expect(isAllowedAddress('8.8.8.8', 443, policy)).toBe(false);
    expect(isAllowedAddress('::ffff:8.8.8.8', 443, policy)).toBe(false);
    expect(isAllowedAddress('fd00:77::1', 9_443, policy)).toBe(true);
    expect(isAllowedAddress('fd00:77::1', 443, policy)).toBe(false);
    expect(isAllowedAddress('10.1.2.3', 443, policy)).toBe(true);
  });

  it('refuse the addresses of the service itself, also if they are allowed', () => {
    const EGRESS_OWN = '127.77.1.1, 127.77.2.0/24, 2606:4700::7, Other.Example.com., bücher.example';
    const policy = createPolicy({ ...settings, EGRESS_ALLOW: '127.77.0.0/16', EGRESS_OWN });
    expect([...policy.ownHosts]).toEqual([
      'market.example.com',
      'other.example.com',
      'xn--bcher-kva.example',
    ]);
    for (const ip of ['127.77.1.1', '127.77.2.9', '2606:4700::7', '2606:4700:0::7']) {
      expect(isAllowedAddress(ip, 443, policy)).toBe(false);
    }
    for (const ip of ['127.77.1.2', '127.77.3.1', '2606:4700::8']) {
      expect(isAllowedAddress(ip, 443, policy)).toBe(true);
    }
  });

  it.each(['a b', 'https://a.example', 'a.example:443', 'a@b.example', '10.0.0.0/33', 'a.example/x', 'a#b'])(
    'refuse invalid own addresses at boot: %j',
    (EGRESS_OWN) => {
      expect(() => createPolicy({ ...settings, EGRESS_OWN })).toThrow(/^EGRESS_OWN: /);
    },
  );

  it('refuse invalid ports at boot', () => {
    expect(() => createPolicy({ ...settings, EGRESS_DENY_PORTS: '8443, x' })).toThrow(/^EGRESS_DENY_PORTS: /);
  });

  it.each([
    '127.0.0.1',
    '127.0.0.0/33',
    'x/8',
    '127.77.0.0/16:',
    '127.77.0.0/16:9-8',
    '127.77.0.0/16:70000',
    'fd00::/129',
  ])('refuse %j at boot, by name', (list) =>
    expect(() => parseNets('EGRESS_ALLOW', list)).toThrow(/^EGRESS_ALLOW: /),
  );
});

/** The nets of the IANA special-purpose registry, written down a second time. */
const FORBIDDEN = [
  [0, 8], [10, 8], [127, 8], [0x6440_0000, 10], [0xa9fe_0000, 16], [0xac10_0000, 12], [0xc000_0000, 24], [0xc000_0200, 24],
  [0xc0a8_0000, 16], [0xc612_0000, 15], [0xc633_6400, 24], [0xcb00_7100, 24], [0xe000_0000, 3],
].map(([base = 0, bits = 0]) => [base < 256 ? base * 2 ** 24 : base, bits] as const); // prettier-ignore
/** Anycast nets for AS112, AMT and 6to4 relays: refused too, since no agent lives there. */
const UNUSUAL = [
  [0xc01f_c400, 24],
  [0xc034_c100, 24],
  [0xc058_6300, 24],
  [0xc0af_3000, 24],
  [0xa83f_8110, 32],
] as const;

const inNet = (number: number, base: number, bits: number) =>
  Math.floor((number - base) / 2 ** (32 - bits)) === 0;
const inForbiddenNet = (number: number) => FORBIDDEN.some(([base, bits]) => inNet(number, base, bits));
const inUnusualNet = (number: number) => UNUSUAL.some(([base, bits]) => inNet(number, base, bits));
