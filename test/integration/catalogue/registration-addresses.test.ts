import { startDns, type TestDns } from '../../support/agents/dns-server';
import { startHoneypot, type Honeypot } from '../../support/agents/test-agent';
import { startMarket, type TestMarket } from '../../support/market';
import { places, registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { changeRegistration, registerAgent, registration } from '../../support/catalogue/registrations';

let market: TestMarket;
let developer: TestDeveloper;
let dns: TestDns;
let inside: Honeypot;

beforeAll(async () => {
  inside = await startHoneypot();
  dns = await startDns({
    'agent.fixtures.example': ['127.77.0.1'],
    'inside.fixtures.example': ['127.0.0.1'],
    'cloud.fixtures.example': ['169.254.169.254'],
    'mixed.fixtures.example': ['127.77.0.1', '10.0.0.1'],
    'sixth.fixtures.example': ['::ffff:127.0.0.1'],
    'dead.fixtures.example': 'hangs',
    'broken.fixtures.example': 'fails',
  });
  market = await startMarket({
    operations: false,
    env: { EGRESS_DNS_SERVERS: dns.address, PUBLIC_ORIGIN: 'https://market.example.com' },
  });
  developer = await registerDeveloper(market);
});
afterAll(async () => {
  await market.stop();
  await dns.stop();
  await inside.stop();
});

const attempt = (url: string) => registerAgent(market, developer, registration(url));

describe('an address that must not be called', () => {
  it.each([
    ['http://agent.fixtures.example/', 'url_not_https'],
    ['ftp://agent.fixtures.example/', 'url_not_https'],
    ['https://agent.fixtures.example:22/', 'url_port_not_allowed'],
    ['https://agent.fixtures.example:5432/', 'url_port_not_allowed'],
    ['https://u:p@agent.fixtures.example/', 'url_has_credentials'],
    ['https://agent.fixtures.example/#x', 'url_has_fragment'],
    ['https://agent.fixtures.example/ x', 'url_forbidden_character'],
    ['https://agent.fixtures.example\\@127.0.0.1/', 'url_forbidden_character'],
    [`https://agent.fixtures.example/${'a'.repeat(2_100)}`, 'url_too_long'],
    ['nonsense', 'url_malformed'],
    ['https://a..b/', 'url_host_malformed'],
    ['https://localhost/', 'url_host_not_public'],
    ['https://intranet/', 'url_host_not_public'],
    ['https://db.internal/', 'url_host_not_public'],
    ['https://127.0.0.1/', 'url_host_not_public'],
    ['https://2130706433/', 'url_host_not_public'],
    ['https://0x7f.1/', 'url_host_not_public'],
    ['https://10.1.2.3/', 'url_host_not_public'],
    ['https://169.254.169.254/latest/meta-data', 'url_host_not_public'],
    ['https://[::1]/', 'url_host_not_public'],
    ['https://[::ffff:10.0.0.1]/', 'url_host_not_public'],
    ['https://[fd00:ec2::254]/', 'url_host_not_public'],
    ['https://market.example.com/v1/agents', 'url_host_is_ours'],
    ['https://MARKET.example.com.:8443/', 'url_host_is_ours'],
  ])('%s is refused by its rule', async (url, rule) => {
    const reply = await attempt(url);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unsafe_url' } } });
    expect(places(reply)).toEqual(['access_config.endpoint_url']);
    expect(reply.body.detail?.[0]?.msg).toContain(`(${rule})`);
    expect(reply.body.error?.message).toContain(rule);
  });

  it('that only looks public is refused with the same message, whatever its name resolves to', async () => {
    const names = ['inside', 'cloud', 'mixed', 'sixth', 'broken', 'unknown', 'dead'];
    const replies = await Promise.all(
      names.map((name) => attempt(`https://${name}.fixtures.example:${inside.port}/`)),
    );
    const [first] = replies;
    expect(first).toMatchObject({ status: 422, body: { error: { code: 'unsafe_url' } } });
    expect(first?.body.detail).toEqual([
      {
        loc: ['body', 'access_config', 'endpoint_url'],
        msg: 'The host must be public: a public IP address, or a name that resolves to public addresses only. (url_host_not_public)',
        type: 'unsafe_url',
      },
    ]);
    for (const reply of replies) {
      expect([reply.status, reply.body.error, reply.body.detail]).toEqual([
        422,
        first?.body.error,
        first?.body.detail,
      ]);
    }
    expect(inside.connections()).toBe(0);
  });

  it('is refused for the icon too, although the service never fetches it', async () => {
    const body = registration('https://agent.fixtures.example:9443/', { icon_url: 'https://10.0.0.1/x.png' });
    const reply = await registerAgent(market, developer, body);
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unsafe_url' } } });
    expect(places(reply)).toEqual(['icon_url']);
  });

  it('is refused in a change too, which then changes nothing', async () => {
    const { body } = await attempt('https://agent.fixtures.example:9443/a');
    const reply = await changeRegistration(market, developer, body.agent_id, {
      name: 'New name',
      access_config: { endpoint_url: 'https://inside.fixtures.example:9443/' },
    });
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unsafe_url' } } });
    const rows = await market.owner.query<{ endpoint_url: string; display_name: string }>(
      'SELECT endpoint_url, display_name FROM agent_versions WHERE agent_id = $1',
      [body.agent_id],
    );
    expect(rows.rows).toEqual([
      { endpoint_url: 'https://agent.fixtures.example:9443/a', display_name: 'Self-hosted agent' },
    ]);
  });
});

it('stores the only form of an address that is ever called', async () => {
  const { status, body } = await attempt('HTTPS://Agent.Fixtures.EXAMPLE.:9443/a/../b?c');
  expect(status).toBe(201);
  const rows = await market.owner.query('SELECT endpoint_url FROM agent_versions WHERE agent_id = $1', [
    body.agent_id,
  ]);
  expect(rows.rows).toEqual([{ endpoint_url: 'https://agent.fixtures.example:9443/b?c' }]);
});
