import { bundleOf } from '../../support/verification/bundles';
import { testManifest } from '../../support/agents/manifest';
import { places, publish, registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { useMarket } from '../../support/use-market';

const LARGEST = (2n ** 256n - 1n).toString();
const REGISTRY = 'eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432';
const URL = 'https://127.77.0.1:9443';

type Limit = [string, (at: Record<string, unknown>) => unknown, string | undefined];

const market = useMarket({ operations: false });
let developer: TestDeveloper;
let slugs = 0;

beforeAll(async () => {
  developer = await registerDeveloper(market);
});

function manifest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  slugs += 1;
  return { ...testManifest(URL, { agentId: `agent-${slugs}` }), ...changes };
}

describe('a manifest with mistakes', () => {
  it('is refused with one 422 that names every wrong field', async () => {
    const reply = await publish(market, developer, {
      schema_version: '2.0',
      agent_id: 'Not A Slug',
      display_name: 'x'.repeat(81),
      description: 'too short',
      version: '1.0',
      author: 'someone',
      homepage: 'ftp://example.com',
      category: 'games',
      tags: [...Array.from({ length: 10 }, (_, index) => `tag-${index}`), 'x'.repeat(33)],
      pricing: { model: 'per_call', free_tier_calls: -1, credits_per_second: '1' },
      endpoint: { url: 'http://127.0.0.1', timeout_ms: 999, max_payload_bytes: 0 },
      input_schema: { type: 'array' },
      output_schema: { $ref: 'https://example.com/schema' },
      data_handling: { pii_processed: 'no', data_retention_days: 1.5, residency: 'mars', subprocessors: [1] },
      capabilities: {
        streaming: 'yes',
        telepathy: true,
        jobs: { max_seconds: 59, heartbeat_seconds: 9, probe_max_seconds: 0, more: 1 },
      },
      surprise: 1,
    });
    expect(reply.status).toBe(422);
    expect(reply.body.error?.code).toBe('validation_failed');
    expect([...new Set(places(reply))]).toEqual([
      'manifest.agent_id',
      'manifest.author',
      'manifest.capabilities.jobs.heartbeat_seconds',
      'manifest.capabilities.jobs.max_seconds',
      'manifest.capabilities.jobs.more',
      'manifest.capabilities.jobs.probe_max_seconds',
      'manifest.capabilities.streaming',
      'manifest.capabilities.telepathy',
      'manifest.category',
      'manifest.data_handling.data_retention_days',
      'manifest.data_handling.pii_processed',
      'manifest.data_handling.residency',
      'manifest.data_handling.subprocessors.0',
      'manifest.description',
      'manifest.display_name',
      'manifest.endpoint.max_payload_bytes',
      'manifest.endpoint.timeout_ms',
      'manifest.endpoint.url',
      'manifest.homepage',
      'manifest.input_schema.type',
      'manifest.output_schema.$ref',
      'manifest.pricing.credits_per_call',
      'manifest.pricing.credits_per_second',
      'manifest.pricing.free_tier_calls',
      'manifest.schema_version',
      'manifest.surprise',
      'manifest.tags',
      'manifest.tags.10',
      'manifest.version',
    ]);
  });

  it.each([
    ['an empty one', {}, 10],
    ['a list', [], 1],
    ['text', 'manifest', 1],
  ])('is refused: %s', async (_name, document, problems) => {
    const reply = await publish(market, developer, document);
    expect(reply.status).toBe(422);
    expect(reply.body.detail?.length).toBeGreaterThanOrEqual(problems);
  });

  const limits: Limit[] = [
    ['display_name of 80', (m) => (m['display_name'] = 'é'.repeat(80)), undefined],
    ['display_name of 81', (m) => (m['display_name'] = 'é'.repeat(81)), 'manifest.display_name'],
    ['description of 50', (m) => (m['description'] = 'd'.repeat(50)), undefined],
    ['description of 49', (m) => (m['description'] = 'd'.repeat(49)), 'manifest.description'],
    ['description of 2000', (m) => (m['description'] = 'd'.repeat(2000)), undefined],
    ['description of 2001', (m) => (m['description'] = 'd'.repeat(2001)), 'manifest.description'],
    ['NUL in the name', (m) => (m['display_name'] = 'a\0b'), 'manifest.display_name'],
    ['lone surrogate in a tag', (m) => (m['tags'] = ['\ud800']), 'manifest.tags.0'],
    ...(
      [
        ['the largest number', [{ agent_id: LARGEST, registry: REGISTRY }], undefined],
        ['0 of another chain', [{ agent_id: '0', registry: REGISTRY.replace(':1:', ':8453:') }], undefined],
        ['none', [], undefined],
        [
          'one above uint256',
          [{ agent_id: (BigInt(LARGEST) + 1n).toString(), registry: REGISTRY }],
          '.0.agent_id',
        ],
        ['a number that is no text', [{ agent_id: 22, registry: REGISTRY }], '.0.agent_id'],
        ['a number in hexadecimal', [{ agent_id: '0x16', registry: REGISTRY }], '.0.agent_id'],
        ['a number of 10,000 digits', [{ agent_id: '9'.repeat(10_000), registry: REGISTRY }], '.0.agent_id'],
        ['a wrong checksum', [{ agent_id: '1', registry: REGISTRY.replace('A1', 'a1') }], '.0.registry'],
        ['the zero address', [{ agent_id: '1', registry: `eip155:1:0x${'0'.repeat(40)}` }], '.0.registry'],
        [
          'another namespace',
          [{ agent_id: '1', registry: REGISTRY.replace('eip155', 'solana') }],
          '.0.registry',
        ],
        ['an address behind a line', [{ agent_id: '1', registry: `${REGISTRY}\n` }], '.0.registry'],
        [
          'one identity twice',
          [
            { agent_id: '1', registry: REGISTRY },
            { agent_id: '1', registry: REGISTRY.toLowerCase() },
          ],
          '.1',
        ],
        ['no list', { agent_id: '1', registry: REGISTRY }, ''],
        ['nine', Array.from({ length: 9 }, (_, at) => ({ agent_id: `${at}`, registry: REGISTRY })), ''],
      ] as const
    ).map(([name, value, place]): Limit => [
      `erc8004 with ${name}`,
      (m) => (m['erc8004'] = value),
      place === undefined ? undefined : `manifest.erc8004${place}`,
    ]),
    ['price 1', (m) => (m['pricing'] = { model: 'per_call', credits_per_call: 1 }), undefined],
    ['price 100000', (m) => (m['pricing'] = { model: 'per_call', credits_per_call: 100_000 }), undefined],
    [
      'price 0',
      (m) => (m['pricing'] = { model: 'per_call', credits_per_call: 0 }),
      'manifest.pricing.credits_per_call',
    ],
    [
      'price 100001',
      (m) => (m['pricing'] = { model: 'per_call', credits_per_call: 100_001 }),
      'manifest.pricing.credits_per_call',
    ],
    [
      'half a credit',
      (m) => (m['pricing'] = { model: 'per_call', credits_per_call: 0.5 }),
      'manifest.pricing.credits_per_call',
    ],
    [
      'per_token',
      (m) => (m['pricing'] = { model: 'per_token', credits_per_1k_tokens: '0.125', max_credits_per_call: 5 }),
      undefined,
    ],
    [
      'per_token without maximum',
      (m) => (m['pricing'] = { model: 'per_token', credits_per_1k_tokens: '1' }),
      'manifest.pricing.max_credits_per_call',
    ],
    [
      'per_second',
      (m) => (m['pricing'] = { model: 'per_second', credits_per_second: '2', max_credits_per_call: 5 }),
      undefined,
    ],
    [
      'per_second at 0',
      (m) => (m['pricing'] = { model: 'per_second', credits_per_second: '0.00', max_credits_per_call: 5 }),
      'manifest.pricing.credits_per_second',
    ],
    [
      'per_second as a number',
      (m) => (m['pricing'] = { model: 'per_second', credits_per_second: 2, max_credits_per_call: 5 }),
      'manifest.pricing.credits_per_second',
    ],
    [
      'four places',
      (m) => (m['pricing'] = { model: 'per_second', credits_per_second: '0.0001', max_credits_per_call: 5 }),
      'manifest.pricing.credits_per_second',
    ],
    ['timeout 1000', (m) => (m['endpoint'] = { url: URL, timeout_ms: 1_000 }), undefined],
    ['timeout 300000', (m) => (m['endpoint'] = { url: URL, timeout_ms: 300_000 }), undefined],
    [
      'timeout 300001',
      (m) => (m['endpoint'] = { url: URL, timeout_ms: 300_001 }),
      'manifest.endpoint.timeout_ms',
    ],
    ['version with a leading zero', (m) => (m['version'] = '1.01.0'), 'manifest.version'],
    ['pre-release version', (m) => (m['version'] = '1.0.0-rc.1'), 'manifest.version'],
    ['version beyond integers', (m) => (m['version'] = '1.9999999999.0'), 'manifest.version'],
    ['slug of 64', (m) => (m['agent_id'] = `a${String(Date.now())}${'b'.repeat(50)}`), undefined],
    ['slug of 65', (m) => (m['agent_id'] = 'a'.repeat(65)), 'manifest.agent_id'],
    ['slug with two hyphens', (m) => (m['agent_id'] = 'a--b'), 'manifest.agent_id'],
    ['slug with underscore', (m) => (m['agent_id'] = 'a_b'), 'manifest.agent_id'],
    ['input schema of any type', (m) => (m['input_schema'] = { description: 'anything' }), undefined],
    ['input schema of a list', (m) => (m['input_schema'] = []), 'manifest.input_schema'],
  ];
  it.each(limits)('keeps to the limits: %s', async (_name, change, place) => {
    const document = manifest();
    change(document);
    const reply = await publish(market, developer, document);
    expect(places(reply)).toEqual(place === undefined ? [] : [place]);
    expect(reply.status).toBe(place === undefined ? 201 : 422);
  });

  it.each([
    'http://agent.example.com',
    'https://127.0.0.1',
    'https://169.254.169.254/',
    'https://localhost',
    'https://u:p@example.com',
    'https://example.com/#x',
    'https://example.com:22',
    'nonsense',
  ])('refuses the endpoint %s with unsafe_url', async (url) => {
    const reply = await publish(market, developer, manifest({ endpoint: { url } }));
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unsafe_url' } } });
    expect(places(reply)).toEqual(['manifest.endpoint.url']);
  });

  it.each([
    ['$async', { $async: true }],
    ['a loop', { $ref: '#' }],
    ['look-ahead', { type: 'object', properties: { a: { pattern: '(?=a)' } } }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['more than 64 KiB', { type: 'object', description: 'x'.repeat(66_000) }],
    ['an unknown type', { type: 'object', properties: { a: { type: 'text' } } }],
  ])('refuses a schema with %s as unsafe_schema', async (_name, schema) => {
    const reply = await publish(market, developer, manifest({ output_schema: schema }));
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'unsafe_schema' } } });
    expect(places(reply).every((place) => place.startsWith('manifest.output_schema'))).toBe(true);
  });

  it('refuses a hundred thousand unknown fields quickly, with one problem', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`field${index}`, 1]));
    const crowded = { ...manifest(), ...many };
    const startedAt = Date.now();
    const reply = await publish(market, developer, crowded);
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toHaveLength(1);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });
});

it('a bundle does not delay others, and is not opened for a slug or a version that cannot be published', async () => {
  const slow = bundleOf([{ path: 'pax', type: 'x', text: '6 a=b\n'.repeat(1_390_000) }, { path: 'a' }]);
  const bundle = { bundle_base64: slow.toString('base64'), submit: false };
  const document = manifest();
  let lag = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    lag = Math.max(lag, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const refused = await publish(market, developer, document, bundle);
  expect([refused.status, places(refused)]).toEqual([422, ['bundle_base64']]);
  expect((await publish(market, developer, document)).status).toBe(201);
  expect((await publish(market, developer, document, bundle)).body.error?.code).toBe('version_not_higher');
  const other = await registerDeveloper(market);
  expect((await publish(market, other, { ...document, version: '2.0.0' }, bundle)).body.error?.code).toBe(
    'slug_taken',
  );
  clearInterval(ticks);
  expect(lag).toBeLessThan(400);
});
