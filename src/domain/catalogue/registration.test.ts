import fc from 'fast-check';
import {
  declaredProblems,
  documentOf,
  mergeChange,
  needsVerification,
  normalized,
  type Registration,
  registrationOf,
} from './registration';
import { creditsOfUnits, microsOfUsd, priceCreditsOf, priceProblems } from './registration-price';

const BASE: Registration = {
  slug: 'tide-tables',
  name: 'Tide tables',
  access_config: { endpoint_url: 'https://agent.example.com/', price_per_call_units: 250, protocol: 'http' },
};
const inUsd = (usd: number): Registration => ({
  ...BASE,
  access_config: { endpoint_url: BASE.access_config.endpoint_url, protocol: 'http' },
  x402: { price_usd: usd, pay_to: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
});
const metered: Registration = {
  ...BASE,
  access_config: { endpoint_url: BASE.access_config.endpoint_url, protocol: 'http' },
  pricing: { model: 'per_second', credits_per_second: '0.5', max_credits_per_call: 60, free_tier_calls: 0 },
};
const made = (registration: Registration) =>
  documentOf(registration, { author: 'dev_ada', version: '1.0.0' });

describe('prices', () => {
  it.each([
    [1, 1],
    [99, 1],
    [100, 1],
    [101, 2],
    [10_000_000, 100_000],
  ])('charges %i units as %i credits', (units, credits) => {
    expect(creditsOfUnits(units)).toBe(credits);
  });

  it.each([
    [0.000001, 1],
    [0.01, 10_000],
    [0.07, 70_000],
    [0.29, 290_000],
    [1.15, 1_150_000],
    [999.999999, 999_999_999],
    [1e-7, undefined],
    [0.1 + 0.2, undefined],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('reads %d dollars as %s millionths', (usd, micros) => {
    expect(microsOfUsd(usd)).toBe(micros);
  });

  it('reads every price of 6 decimals exactly, and never charges less than it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (micros) => {
        const usd = Number(`${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, '0')}`);
        expect(microsOfUsd(usd)).toBe(micros);
        const credits = priceCreditsOf(inUsd(usd));
        expect(credits * 10_000 - micros).toBeGreaterThanOrEqual(0);
        expect(credits * 10_000 - micros).toBeLessThan(10_000);
      }),
    );
  });

  it('are exactly one', () => {
    expect(priceProblems({}).map(({ type }) => type)).toEqual(['required']);
    expect(priceProblems({ ...BASE })).toEqual([]);
    expect(priceProblems({ ...BASE, x402: inUsd(1).x402 }).map(({ type }) => type)).toEqual(['not_allowed']);
    expect(priceProblems({ ...inUsd(1) })).toEqual([]);
    expect(priceProblems({ ...metered })).toEqual([]);
    expect(priceProblems({ ...BASE, ...inUsd(1), access_config: BASE.access_config, pricing: {} })).toEqual([
      { loc: ['x402'], msg: expect.any(String) as string, type: 'not_allowed' },
      { loc: ['pricing'], msg: expect.any(String) as string, type: 'not_allowed' },
    ]);
  });

  it.each([
    [{ model: 'per_second', max_credits_per_call: 9 }, [['credits_per_second', 'required']]],
    [{ model: 'per_token', credits_per_1k_tokens: '2' }, [['max_credits_per_call', 'required']]],
    [
      { model: 'per_token', credits_per_1k_tokens: '0', credits_per_second: '1', max_credits_per_call: 9 },
      [
        ['credits_per_1k_tokens', 'exclusiveMinimum'],
        ['credits_per_second', 'not_allowed'],
      ],
    ],
    // The schema of the body refuses these.
    [{ model: 'per_call', credits_per_call: 3 }, []],
    [[], []],
  ])('have the fields of their model, so that %j has the problems %j', (pricing, problems) => {
    const body = { ...BASE, access_config: {}, pricing };
    expect(priceProblems(body).map(({ loc, type }) => [loc.at(-1), type])).toEqual(problems);
  });
});

describe('the document of a version', () => {
  it('gives back what was registered', () => {
    const full = { ...inUsd(0.000015), vertical: 'sailing', icon_url: 'https://icons.example.com/x.png' };
    for (const registration of [BASE, inUsd(0.5), full])
      expect(registrationOf(made(registration))).toEqual(registration);
    expect(made(full).x402?.price_usd).toBe('0.000015');
  });

  it('has the time, the size and the metered price of the registration, and gives them back', () => {
    const own: Registration = { ...metered, timeout_ms: 300_000, max_payload_bytes: 1 };
    expect(made(own)).toMatchObject({
      pricing: {
        model: 'per_second',
        credits_per_second: '0.5',
        max_credits_per_call: 60,
        free_tier_calls: 0,
      },
      endpoint: { timeout_ms: 300_000, max_payload_bytes: 1 },
    });
    expect(registrationOf(made(own))).toEqual(own);
    expect(priceCreditsOf(own)).toBe(60);
    const { free_tier_calls: _, ...without } = metered.pricing ?? { model: 'per_token' as const };
    expect(normalized({ ...own, pricing: without, max_payload_bytes: 10_485_760 })).toEqual({
      ...metered,
      timeout_ms: 300_000,
    });
  });

  it('is verified again for another price, and not for another time or size', () => {
    const dearer = { ...metered, pricing: { ...metered.pricing, credits_per_second: '0.6' } } as Registration;
    expect(needsVerification(made(metered), made(dearer))).toBe(true);
    expect(needsVerification(made(BASE), made(metered))).toBe(true);
    const slower = { ...metered, timeout_ms: 300_000, max_payload_bytes: 1 };
    expect(needsVerification(made(metered), made(slower))).toBe(false);
  });

  it('contains what was declared like a manifest, and gives it back', () => {
    const declared: Registration = {
      ...BASE,
      description: 'Tells when the tide is high.',
      input_schema: { type: 'object' },
      output_schema: { type: 'object' },
      examples: [{ input: { port: 'Lisbon' } }],
      input_role: 'data',
      data_handling: { pii_processed: false, data_retention_days: 0, residency: 'eu', subprocessors: [] },
    };
    expect(made(declared)).toMatchObject({
      input_schema: { type: 'object' },
      data_handling: { residency: 'eu' },
    });
    expect(registrationOf(made(declared))).toEqual(declared);
    expect(made(BASE).data_handling.pii_processed).toBe(true);
    expect(needsVerification(made(BASE), made(declared))).toBe(true);
    expect(needsVerification(made(declared), made({ ...declared, description: 'Tides.' }))).toBe(true);
    expect(needsVerification(made(declared), made(declared))).toBe(false);
  });

  it('puts an agent into the category that its vertical names', () => {
    expect(made({ ...BASE, vertical: 'finance' }).category).toBe('finance');
    expect(made({ ...BASE, vertical: 'sailing' }).category).toBe('other');
  });
});

describe('a change', () => {
  it('keeps fields that it does not name', () => {
    expect(mergeChange(BASE, {})).toEqual(BASE);
    expect(mergeChange(BASE, { access_config: { price_per_call_units: 1 } })).toEqual({
      ...BASE,
      access_config: { ...BASE.access_config, price_per_call_units: 1 },
    });
  });

  it('replaces a price by one of another kind, and a pricing by one of another model', () => {
    const { pricing } = metered;
    const perToken = { model: 'per_token', credits_per_1k_tokens: '2', max_credits_per_call: 5 };
    expect(mergeChange({ ...BASE }, { pricing })).toEqual(metered);
    expect(mergeChange(inUsd(1), { pricing })).toEqual(metered);
    expect(mergeChange(metered, { pricing: perToken })).toEqual({ ...metered, pricing: perToken });
    expect(mergeChange(metered, { pricing: { max_credits_per_call: 70 } })).toEqual({
      ...metered,
      pricing: { ...pricing, max_credits_per_call: 70 },
    });
    expect(mergeChange(metered, { access_config: { price_per_call_units: 250 } })).toEqual(BASE);
    expect(mergeChange(metered, { x402: inUsd(1).x402 })).toEqual(inUsd(1));
    const own = { ...metered, timeout_ms: 9_000, max_payload_bytes: 9 };
    expect(mergeChange(own, { timeout_ms: null, max_payload_bytes: null, pricing: null })).toEqual({
      ...BASE,
      access_config: metered.access_config,
    });
  });

  it('removes a field that is null, and replaces one kind of price by the other', () => {
    expect(mergeChange({ ...BASE, vertical: 'law' }, { vertical: null })).toEqual(BASE);
    const { x402 } = inUsd(2);
    expect(mergeChange(BASE, { x402 })).toEqual(inUsd(2));
    expect(mergeChange(inUsd(2), { access_config: { price_per_call_units: 250 } })).toEqual(BASE);
    expect(
      priceProblems(mergeChange(BASE, { x402, access_config: { price_per_call_units: 1 } })),
    ).toHaveLength(1);
  });

  it('is verified when it moves the endpoint or the price, or changes what buyers read, and only then', () => {
    const base = made(BASE);
    const withAccess = (change: Partial<Registration['access_config']>) =>
      made({ ...BASE, access_config: { ...BASE.access_config, ...change } });
    expect(needsVerification(base, withAccess({ endpoint_url: 'https://agent.example.com/v2' }))).toBe(true);
    expect(needsVerification(base, withAccess({ price_per_call_units: 251 }))).toBe(true);
    expect(needsVerification(base, made(inUsd(0.03)))).toBe(true);
    expect(needsVerification(base, made({ ...BASE, name: 'Other' }))).toBe(true);
    expect(needsVerification(base, made({ ...BASE, vertical: 'law' }))).toBe(true);
    expect(needsVerification(base, made({ ...BASE, icon_url: 'https://icons.example.com/a.png' }))).toBe(
      true,
    );
    const paid = (payTo: string) => made({ ...inUsd(0.03), x402: { price_usd: 0.03, pay_to: payTo } });
    expect(needsVerification(paid(`0x${'1'.repeat(40)}`), paid(`0x${'2'.repeat(40)}`))).toBe(false);
  });
});

describe('streaming', () => {
  const streams: Registration = { ...BASE, capabilities: { streaming: true } };

  it('is part of the version, and of the registration that is read back', () => {
    expect(made(streams).capabilities).toEqual({ streaming: true, idempotent: false, a2a_invocable: true });
    expect(registrationOf(made(streams)).capabilities).toEqual({ streaming: true });
    expect(made(BASE).capabilities.streaming).toBe(false);
    expect(registrationOf(made(BASE))).not.toHaveProperty('capabilities');
  });

  it('is verified when it changes, and can be taken back', () => {
    expect(needsVerification(made(BASE), made(streams))).toBe(true);
    expect(mergeChange(streams, { capabilities: null })).not.toHaveProperty('capabilities');
  });

  it('keeps its value while jobs change', () => {
    const change = { capabilities: { jobs: { max_seconds: 60 } } };
    expect(mergeChange(streams, change).capabilities).toEqual({ streaming: true, jobs: { max_seconds: 60 } });
  });

  it('is not for an MCP server', () => {
    const body = { access_config: { protocol: 'mcp' }, capabilities: { streaming: true } };
    expect(declaredProblems(body)).toMatchObject([
      { loc: ['capabilities', 'streaming'], type: 'not_allowed' },
    ]);
  });
});

describe('jobs', () => {
  const jobs = { max_seconds: 2_400, heartbeat_seconds: 120 };
  const takesJobs: Registration = { ...BASE, capabilities: { jobs } };
  const merged = (change: unknown, before = takesJobs) =>
    mergeChange(before, { capabilities: { jobs: change } }).capabilities;

  it('are part of the version, with the default of what is left out, and of the registration that is read back', () => {
    expect(made(takesJobs).capabilities.jobs).toEqual(jobs);
    expect(registrationOf(made(takesJobs)).capabilities).toEqual({ jobs });
    const least = made({ ...BASE, capabilities: { jobs: { max_seconds: 60 } } });
    expect(least.capabilities.jobs).toEqual({ max_seconds: 60, heartbeat_seconds: 60 });
    expect(registrationOf(least).capabilities).toEqual({ jobs: { max_seconds: 60 } });
  });

  it('are verified when they change', () => {
    expect(needsVerification(made(BASE), made(takesJobs))).toBe(true);
  });

  it('keep the fields that a change leaves out, and go by null', () => {
    expect(merged({ max_seconds: 600 })).toEqual({ jobs: { max_seconds: 600, heartbeat_seconds: 120 } });
    expect(merged({ heartbeat_seconds: null })).toEqual({ jobs: { max_seconds: 2_400 } });
    const probed = { ...jobs, probe_max_seconds: 30 };
    expect(merged({ probe_max_seconds: 30 })).toEqual({ jobs: probed });
    const before = { ...BASE, capabilities: { jobs: probed } };
    expect(merged({ probe_max_seconds: null }, before)).toEqual({ jobs });
    expect(registrationOf(made(before)).capabilities).toEqual({ jobs: probed });
    const milestones = [{ name: 'draft', percent: 50 }];
    expect(merged({ milestones })).toEqual({ jobs: { ...jobs, milestones } });
    expect(merged(null)).toEqual({});
    expect(merged({ max_seconds: 600 }, BASE)).toEqual({ jobs: { max_seconds: 600 } });
    expect(mergeChange(takesJobs, { capabilities: { streaming: true } }).capabilities).toEqual({
      jobs,
      streaming: true,
    });
    expect(mergeChange(takesJobs, { capabilities: null })).not.toHaveProperty('capabilities');
    const wrong = mergeChange(takesJobs, { capabilities: { jobs: 'yes' } });
    expect(wrong.capabilities).toEqual({ jobs: 'yes' });
  });

  it('do not end before the agent may be silent', () => {
    const body = { capabilities: { jobs: { max_seconds: 60, heartbeat_seconds: 61 } } };
    const loc = ['capabilities', 'jobs', 'heartbeat_seconds'];
    expect(declaredProblems(body)).toMatchObject([{ loc, msg: 'must be at most max_seconds (60)' }]);
  });

  it.each<[object, string[][]]>([
    [{ jobs }, []],
    [{}, []],
    [{ streaming: true, jobs }, [['capabilities', 'streaming']]],
    [{ jobs: { ...jobs, milestones: [] } }, [['capabilities', 'jobs', 'milestones']]],
    [{ jobs: { ...jobs, probe_max_seconds: 30 } }, []],
    [{ jobs: { max_seconds: 60, heartbeat_seconds: 61 } }, [['capabilities', 'jobs', 'heartbeat_seconds']]],
  ])('of an MCP server are its jobs alone: %j', (capabilities, expected) => {
    const found = declaredProblems({ access_config: { protocol: 'mcp' }, capabilities });
    expect(found.map(({ loc }) => loc)).toEqual(expected);
  });
});

it('takes calls of tools as the examples of an MCP server', () => {
  const of = (input: object) =>
    declaredProblems({ access_config: { protocol: 'mcp' }, examples: [{ input }] }).map(({ loc }) => loc);
  expect(of({ tool: 'add', arguments: { a: 1 } })).toEqual([]);
  expect(of({ tool: 'add' })).toEqual([]);
  for (const input of [{}, { tool: '' }, { tool: 'add', arguments: 1 }, { tool: 'add', a: 1 }])
    expect(of(input)).toEqual([['examples', 0, 'input']]);
});
