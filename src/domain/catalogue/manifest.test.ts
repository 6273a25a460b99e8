import {
  completeManifest,
  crossFieldProblems,
  MANIFEST_DEFAULTS,
  priceUnitsOf,
  publicPartOf,
} from './manifest';
import { compareVersions, parseVersion } from './semver';
import { agentIdOf } from './slug';

const base = {
  pricing: { model: 'per_call', credits_per_call: 7 },
  endpoint: { url: 'https://agent.example.com' },
  input_schema: { type: 'object' },
  data_handling: { pii_processed: false, data_retention_days: 0, residency: 'eu' },
};

const places = (manifest: Record<string, unknown>) =>
  crossFieldProblems(manifest).map(({ loc }) => loc.join('.'));

describe('rules across fields', () => {
  it.each([
    [{ model: 'per_call', credits_per_call: 1 }, []],
    [{ model: 'per_call' }, ['pricing.credits_per_call']],
    [{ model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 1 }, []],
    [
      { model: 'per_token', credits_per_call: 1 },
      ['pricing.credits_per_call', 'pricing.credits_per_1k_tokens', 'pricing.max_credits_per_call'],
    ],
    [
      { model: 'per_second', credits_per_second: '0.000', max_credits_per_call: 1 },
      ['pricing.credits_per_second'],
    ],
    [
      {
        model: 'per_second',
        credits_per_second: '0.001',
        max_credits_per_call: 1,
        credits_per_1k_tokens: '1',
      },
      ['pricing.credits_per_1k_tokens'],
    ],
    [{ model: 'barter' }, []],
    ['free', []],
    [null, []],
  ])('name the price fields that %j lacks or must not have', (pricing, expected) => {
    expect(places({ ...base, pricing })).toEqual(expected);
  });

  it.each([
    [{ type: 'object' }, []],
    [{ type: ['object', 'null'] }, []],
    [{}, []],
    [{ type: 'string' }, ['input_schema.type']],
    [{ type: ['array'] }, ['input_schema.type']],
    [undefined, []],
  ])('require an input schema that accepts objects: %j', (input_schema, expected) => {
    expect(places({ ...base, input_schema })).toEqual(expected);
  });
});

describe('jobs', () => {
  it.each([
    [{ max_seconds: 60, heartbeat_seconds: 61 }, ['capabilities.jobs.heartbeat_seconds']],
    [{ max_seconds: 60, heartbeat_seconds: 60 }, []],
    [{ max_seconds: 60 }, []],
    [{ max_seconds: 60, probe_max_seconds: 60 }, []],
    [{ max_seconds: 60, probe_max_seconds: 61 }, ['capabilities.jobs.probe_max_seconds']],
    [
      { max_seconds: 60, heartbeat_seconds: 61, probe_max_seconds: 61 },
      ['capabilities.jobs.heartbeat_seconds', 'capabilities.jobs.probe_max_seconds'],
    ],
    ['yes', []],
  ])(
    'do not end before the agent may be silent, and before verification stops waiting: %j',
    (jobs, expected) => {
      expect(places({ ...base, capabilities: { jobs } })).toEqual(expected);
    },
  );

  const milestone = { name: 'draft', percent: 60 };
  it.each([
    [[milestone], base.pricing, []],
    [[milestone, { name: 'outline', percent: 40 }], base.pricing, []],
    [[milestone, { name: 'outline', percent: 41 }], base.pricing, ['capabilities.jobs.milestones']],
    [[milestone, { ...milestone, percent: 1 }], base.pricing, ['capabilities.jobs.milestones.1.name']],
    [
      [milestone],
      { model: 'per_second', credits_per_second: '0.1', max_credits_per_call: 10 },
      ['capabilities.jobs.milestones'],
    ],
    ['all', base.pricing, []],
  ])(
    'have milestones of a price per call, of at most 100 percent: %j at %j',
    (milestones, pricing, expected) => {
      const capabilities = { jobs: { max_seconds: 60, milestones } };
      expect(places({ ...base, pricing, capabilities })).toEqual(expected);
    },
  );

  it.each([
    [{ max_seconds: 2_400 }, 300],
    [{ max_seconds: 60 }, 60],
    [{ max_seconds: 2_400, heartbeat_seconds: 20 }, 20],
  ])('are stored with the silence that is allowed: %j', (jobs, heartbeat_seconds) => {
    const { capabilities } = completeManifest({ ...base, capabilities: { jobs } }, 'dev_ada');
    expect(capabilities.jobs).toEqual({ max_seconds: jobs.max_seconds, heartbeat_seconds });
  });
});

describe('the stored document', () => {
  it('has every default of the specification and the author of the session', () => {
    const manifest = completeManifest({ ...base, author: 'dev_other' }, 'dev_ada');
    expect(manifest).toMatchObject({
      author: 'dev_ada',
      tags: [],
      pricing: { free_tier_calls: 0 },
      endpoint: { timeout_ms: 30_000, max_payload_bytes: 10_485_760 },
      data_handling: { subprocessors: [] },
      capabilities: { streaming: false, idempotent: false, a2a_invocable: true },
    });
  });

  it('keeps what was given, and changes neither the given document nor the defaults', () => {
    const given = {
      ...base,
      endpoint: { url: 'https://a.example', timeout_ms: 1_000 },
      capabilities: { streaming: true },
    };
    const copy = structuredClone(given);
    const manifest = completeManifest(given, 'dev_ada');
    expect(manifest.endpoint.timeout_ms).toBe(1_000);
    expect(manifest.capabilities).toEqual({ streaming: true, idempotent: false, a2a_invocable: true });
    expect(given).toEqual(copy);
    expect(MANIFEST_DEFAULTS.capabilities.streaming).toBe(false);
  });

  it('hides the endpoint from the public', () => {
    expect(JSON.stringify(publicPartOf(completeManifest(base, 'dev_ada')))).not.toContain(
      'agent.example.com',
    );
  });

  it('shows what is new in a version', () => {
    const manifest = completeManifest({ ...base, changelog: 'Knows knots.' }, 'dev_ada');
    expect(publicPartOf(manifest)).toMatchObject({ changelog: 'Knows knots.' });
    expect(publicPartOf(completeManifest(base, 'dev_ada'))).toMatchObject({ changelog: null });
  });
});

it('prices a call in units: the fixed price, or the most that a metered call may cost', () => {
  expect(priceUnitsOf({ model: 'per_call', credits_per_call: 7, free_tier_calls: 0 })).toBe(700);
  expect(
    priceUnitsOf({
      model: 'per_second',
      credits_per_second: '1',
      max_credits_per_call: 9,
      free_tier_calls: 0,
    }),
  ).toBe(900);
});

describe('versions', () => {
  it.each(['1', '1.0', '1.0.0.0', '01.0.0', '1.0.0-rc', 'v1.0.0', '1.0.0 ', '-1.0.0', '1.1234567890.0', ''])(
    '%j is not a version',
    (text) => {
      expect(parseVersion(text)).toBeUndefined();
    },
  );

  it('are compared as numbers', () => {
    const sorted = ['0.0.0', '0.0.9', '0.0.10', '0.1.0', '1.0.0', '1.9.0', '1.10.0', '10.0.0'];
    const shuffled = [...sorted].reverse();
    const number = (text: string) => parseVersion(text) ?? { major: NaN, minor: NaN, patch: NaN };
    expect(shuffled.sort((a, b) => compareVersions(number(a), number(b)))).toEqual(sorted);
    expect(compareVersions(number('1.2.3'), number('1.2.3'))).toBe(0);
  });
});

it('names agents by slug and major version', () => {
  expect(agentIdOf('csv-to-json', 12)).toBe('agt_csv_to_json_v12');
});
