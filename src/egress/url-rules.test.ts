import { createPolicy } from './policy';
import { checkUrl, type UrlRule } from './url-rules';

const policy = createPolicy({
  EGRESS_ALLOW: '',
  EGRESS_DENY: '',
  PUBLIC_ORIGIN: 'https://market.example.com',
});
const verdictOf = (raw: string): string => {
  const verdict = checkUrl(raw, policy);
  return verdict.ok ? verdict.href : verdict.rule;
};

describe('an address that is vetted', () => {
  it.each([
    ['https://agent.example.com', 'https://agent.example.com/'],
    ['https://agent.example.com/v1/run?x=%20y', 'https://agent.example.com/v1/run?x=%20y'],
    ['https://agent.example.com:8443/', 'https://agent.example.com:8443/'],
    ['https://agent.example.com:443/', 'https://agent.example.com/'],
    ['https://agent.example.com./', 'https://agent.example.com/'],
    ['HTTPS://Agent.Example.COM/A', 'https://agent.example.com/A'],
    ['https://93.184.216.34/', 'https://93.184.216.34/'],
    ['https://[2606:4700::1111]:8443/', 'https://[2606:4700::1111]:8443/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://аррle.example/', 'https://xn--le-6kc8da.example/'],
  ])('%s is kept as %s', (raw, href) => {
    expect(verdictOf(raw)).toBe(href);
  });

  it('is split into the parts that a connection needs', () => {
    expect(checkUrl('https://[2606:4700::1111]:8443/a?b=1', policy)).toEqual({
      ok: true,
      href: 'https://[2606:4700::1111]:8443/a?b=1',
      host: '2606:4700::1111',
      port: 8443,
      path: '/a?b=1',
      isLiteral: true,
    });
    expect(checkUrl('https://a.example.com./', policy)).toMatchObject({
      host: 'a.example.com',
      isLiteral: false,
    });
  });
});

const REFUSED: Record<UrlRule, string[]> = {
  url_too_long: [`https://a.example/${'x'.repeat(2_048)}`],
  url_forbidden_character: [
    ' https://a.example', 'https://a.example ', 'https://a.ex\tample', 'https://a.example/\n', 'https://a.example\\@b.example',
    'https://a.example/\u0000', 'https://a.example/ü', 'https://a.example/?q=ü', 'https://a.example/\u2028', 'https://a.ex\ud800.example/',
    'https://a.example/\u007f', 'https://a\u00a0b.example/',
  ], // prettier-ignore
  url_malformed: [
    '', 'agent.example.com', '//agent.example.com', 'https:agent.example.com', 'https:/agent.example.com', 'https:///a.example',
    'https://', 'https://1.2.3.4.5/', 'https://256.1.1.1/', 'https://a.example:65536/', 'https://a%00b.example/', 'https://[fe80::1%25eth0]/',
    'https://a b.example'.replace(' ', '%20'), 'https://[::1', 'https://?x',
  ], // prettier-ignore
  url_not_https: [
    'http://a.example',
    'ftp://a.example',
    'file:///etc/passwd',
    'gopher://a.example',
    'javascript:alert(1)',
    'wss://a.example',
  ],
  url_has_credentials: [
    'https://user@a.example',
    'https://user:pass@a.example',
    'https://@a.example',
    'https://a.example@127.0.0.1/',
  ],
  url_has_fragment: ['https://a.example/#x', 'https://a.example#', 'https://a.example/?a#b'],
  url_port_not_allowed: [
    'https://a.example:0', 'https://a.example:22', 'https://a.example:80', 'https://a.example:1023', 'https://a.example:2375',
    'https://a.example:5432', 'https://a.example:6379', 'https://a.example:7233', 'https://a.example:10250', 'https://a.example:27017',
  ], // prettier-ignore
  url_host_malformed: [
    'https://a..b', 'https://.example.com', 'https://a.example..', `https://${'x'.repeat(64)}.example`, 'https://a!b.example',
    'https://-a.example', 'https://a-.example', `https://${'x.'.repeat(130)}example`, 'https://a$b.example',
  ], // prettier-ignore
  url_host_not_public: [
    'https://localhost', 'https://LOCALHOST.', 'https://printer', 'https://a.localhost', 'https://db.internal', 'https://nas.local',
    'https://router.home.arpa', 'https://x.lan', 'https://x.test', 'https://x.invalid', 'https://x.onion',
    'https://127.0.0.1', 'https://0x7f000001', 'https://2130706433', 'https://0177.0.0.1', 'https://127.1', 'https://127.0.0.1.',
    'https://①②⑦.⓪.⓪.①', 'https://127。0。0。1', 'https://%31%32%37.0.0.1', 'https://0', 'https://10.0.0.1:8443', 'https://169.254.169.254',
    'https://192.168.0.1', 'https://172.16.0.1', 'https://100.100.100.200', 'https://168.63.129.16', 'https://0.0.0.0',
    'https://255.255.255.255', 'https://224.0.0.1', 'https://[::1]', 'https://[::]', 'https://[::ffff:127.0.0.1]', 'https://[::ffff:7f00:1]',
    'https://[::7f00:1]', 'https://[fd00:ec2::254]', 'https://[fe80::1]', 'https://[64:ff9b::7f00:1]', 'https://[2002:7f00:1::]',
  ], // prettier-ignore
  url_host_is_ours: ['https://market.example.com', 'https://MARKET.example.com.:8443/x'],
};

describe('an address that is refused', () => {
  it.each(Object.entries(REFUSED).flatMap(([rule, list]) => list.map((raw) => [rule, raw] as const)))(
    'by %s: %j',
    (rule, raw) => {
      expect(verdictOf(raw)).toBe(rule);
    },
  );

  it('is refused as literal of our own origin, too', () => {
    const own = createPolicy({
      EGRESS_ALLOW: '93.184.0.0/16',
      EGRESS_DENY: '',
      PUBLIC_ORIGIN: 'https://93.184.216.34',
    });
    expect(checkUrl('https://93.184.216.34:9000/', own)).toEqual({ ok: false, rule: 'url_host_is_ours' });
  });
});

describe('the ports that are never called', () => {
  it('are those of the setting, when it names any', () => {
    const own = createPolicy({
      EGRESS_ALLOW: '',
      EGRESS_DENY: '',
      PUBLIC_ORIGIN: 'https://market.example.com',
      EGRESS_DENY_PORTS: '8443, 9443',
    });
    const ruleOf = (port: number) => checkUrl(`https://a.example.com:${port}/`, own);
    for (const port of [8443, 9443, 0, 80, 1023]) {
      expect(ruleOf(port)).toEqual({ ok: false, rule: 'url_port_not_allowed' });
    }
    for (const port of [443, 5432, 8444]) expect(ruleOf(port)).toMatchObject({ ok: true, port });
  });
});

describe('an vetted address', () => {
  it('is vetted again in its stored form', () => {
    for (const raw of [
      'https://a.example.com.',
      'https://bücher.example/x?y',
      'https://[2606:4700:0::1]:9000',
    ]) {
      const once = verdictOf(raw);
      expect(verdictOf(once)).toBe(once);
    }
  });
});

it('accepts a name with non-ASCII letters in each of 20,000 checks', () => {
  const verdicts = Array.from({ length: 20_000 }, () => checkUrl('https://bücher.example/', policy).ok);
  expect(verdicts.filter((ok) => !ok)).toHaveLength(0);
});
