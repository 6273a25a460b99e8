import { loadConfig } from '../../../src/config';
import { createEgress, type Egress } from '../../../src/egress/agent-call';
import { createRateSource } from '../../../src/egress/exchange-rates';
import { createLogger } from '../../../src/logger';
import { createExchangeRates, createRates } from '../../../src/services/payouts/exchange-rates';
import { insertRate } from '../../../src/stores/payouts/payout-methods';
import type { Behaviour } from '../../support/agents/behaviours';
import { testCertificates } from '../../support/agents/authority';
import { refusingUrl, startAgent, type TestAgent } from '../../support/agents/test-agent';
import { egressSettings } from '../../support/stack/egress';
import { daysAgo, ecbDocument, serves, timeOf } from '../../support/billing/exchange-rates';
import { startLedger, type TestLedger } from '../../support/ledger/ledger';

/** A source of rates, good and bad, on a server that speaks its format; nothing but a good rate is ever loaded. */
let t: TestLedger;
let egress: Egress;
let server: TestAgent;
const GOOD = { USD: '1.0582', INR: '93.0217' };

beforeAll(async () => {
  await testCertificates();
  t = await startLedger(4);
  egress = createEgress(egressSettings());
  server = await startAgent();
});
afterAll(async () => {
  await egress.close();
  await server.stop();
  await t.stop();
});
beforeEach(async () => {
  await t.owner.query('TRUNCATE fx_rates, fx_fetches');
  server.forget();
});

const rates = (name: 'ecb' | 'frankfurter' = 'ecb', url = `${server.url}/stats/eurofxref-daily.xml`) =>
  createExchangeRates({
    pool: t.app,
    logger: createLogger('test', 'silent'),
    source: createRateSource(egress, name, url, 1_000),
    maxChangePercent: 10,
  });
const loaded = async () => (await rates().list({ limit: 10 })).rows.map(({ rate }) => rate);
const fetches = async () => (await rates().fetches({ limit: 10 })).rows;
const know = (rate: string, date: string) =>
  insertRate(t.app, { rate, observedAt: new Date(timeOf(date)), source: 'bank', loadedBy: 'usr_1' });

it('loads rupees for a dollar through the euro, with the time of the day it names, once', async () => {
  server.behave(serves(ecbDocument(daysAgo(1), GOOD)));
  expect(await rates().fetch()).toEqual({ outcome: 'loaded', reason: null });
  expect(await rates().fetch()).toEqual({ outcome: 'unchanged', reason: null });
  expect(await rates().fetch()).toEqual({ outcome: 'unchanged', reason: null });
  const { rows, total } = await rates().list({ limit: 10 });
  expect(total).toBe(1);
  expect(rows[0]).toMatchObject({ rate: '87.905594', source: 'ecb', loadedBy: 'source:ecb' });
  expect(rows[0]?.observedAt.toISOString()).toBe(timeOf(daysAgo(1)));
  expect((await fetches()).map(({ outcome, times }) => [outcome, times])).toEqual([
    ['unchanged', 2],
    ['loaded', 1],
  ]);
  expect(server.deliveries[0]).toMatchObject({ method: 'GET', path: '/stats/eurofxref-daily.xml' });
  expect(server.deliveries[0]?.headers).toMatchObject({ accept: 'application/xml, text/xml' });
});

it('reads the same rates as JSON', async () => {
  const answer = { amount: 1, base: 'USD', date: daysAgo(1), rates: { INR: 87.9056 } };
  server.behave({ kind: 'answer', output: answer });
  expect(await rates('frankfurter').fetch()).toEqual({ outcome: 'loaded', reason: null });
  expect(await loaded()).toEqual(['87.905600']);
  expect(server.deliveries[0]?.headers).toMatchObject({ accept: 'application/json' });
});

it('adopts a rate close to the one that operators loaded, and keeps a newer one of theirs', async () => {
  await know('84', daysAgo(3));
  server.behave(serves(ecbDocument(daysAgo(2), GOOD)));
  expect(await rates().fetch()).toMatchObject({ outcome: 'loaded' });
  await know('88.2', daysAgo(1));
  expect(await rates().fetch()).toMatchObject({ outcome: 'unchanged' });
  expect(await loaded()).toEqual(['88.200000', '87.905594', '84.000000']);
});

it('ignores a rate that was loaded for a future time', async () => {
  await know('8.4', daysAgo(-30));
  server.behave(serves(ecbDocument(daysAgo(1), GOOD)));
  expect(await rates().fetch()).toMatchObject({ outcome: 'loaded' });
});

describe('an implausible rate is not used', () => {
  it.each([
    ['of a week ago', 7, GOOD, 'stale', 'old_date'],
    ['of tomorrow', -1, GOOD, 'rejected', 'future_date'],
    ['a tenth of the last', 1, { ...GOOD, INR: '9.30217' }, 'rejected', 'implausible'],
    ['eleven percent above the last', 1, { ...GOOD, INR: '103.53' }, 'rejected', 'implausible'],
    ['with more digits than a rate has', 1, { USD: '0.00000001', INR: '9999999' }, 'rejected', 'implausible'],
    ['another one of a known time', 2, { ...GOOD, INR: '93.03' }, 'rejected', 'contradicts'],
  ])('%s', async (_what, days, said, outcome, reason) => {
    await know('87.905594', daysAgo(2));
    server.behave(serves(ecbDocument(daysAgo(days), said)));
    expect(await rates().fetch()).toEqual({ outcome, reason });
    expect(await loaded()).toEqual(['87.905594']);
    expect(await fetches()).toMatchObject([
      { outcome, reason, message: expect.any(String) as string, times: 1 },
    ]);
  });

  it('is accepted when an operator loads it by hand', async () => {
    await know('80', daysAgo(4));
    server.behave(serves(ecbDocument(daysAgo(2), { ...GOOD, INR: '95.3' })));
    expect(await rates().fetch()).toMatchObject({ outcome: 'rejected', reason: 'implausible' });
    await know('90.058590', daysAgo(2));
    server.behave(serves(ecbDocument(daysAgo(1), { ...GOOD, INR: '95.4' })));
    expect(await rates().fetch()).toMatchObject({ outcome: 'loaded' });
  });
});

describe('an invalid answer of the source', () => {
  const xml = (more: Record<string, string>) => serves(ecbDocument(daysAgo(1), { ...GOOD, ...more }));
  const half: Behaviour = {
    kind: 'stream',
    contentType: 'text/xml',
    parts: () => [ecbDocument(daysAgo(1), GOOD).slice(0, 300)],
    then: 'dies',
  };
  const wrong: [string, Behaviour, string][] = [
    ['an error', { kind: 'status', status: 503 }, 'bad_response'],
    ['a page', { kind: 'not_json' }, 'bad_response'],
    ['an empty answer', { kind: 'echo' }, 'bad_response'],
    ['a redirect inwards', { kind: 'redirect', location: 'https://127.0.0.1/' }, 'redirect'],
    ['a flood', { kind: 'huge', bytes: 50_000_000 }, 'too_large'],
    ['an announced flood', { kind: 'huge', bytes: 50_000_000, announced: true }, 'too_large'],
    ['silence', { kind: 'hangs' }, 'timeout'],
    ['one byte at a time without an end', { kind: 'trickle', everyMs: 20 }, 'timeout'],
    ['half an answer', half, 'bad_response'],
    ['a compression bomb', { kind: 'encoded', encoding: 'gzip', body: Buffer.alloc(100) }, 'bad_response'],
    [
      'bytes that are not UTF-8',
      { kind: 'stream', contentType: 'text/xml', parts: () => [Buffer.from([0xff, 0xfe])] },
      'bad_response',
    ],
    ['no rupees', serves(ecbDocument(daysAgo(1), { USD: '1.05' })), 'bad_response'],
    ['zero', xml({ USD: '0.0000' }), 'bad_response'],
    ['less than zero', xml({ INR: '-93.02' }), 'bad_response'],
    ['not a number', xml({ INR: 'NaN' }), 'bad_response'],
    ['an exponent', xml({ INR: '9.3e1' }), 'bad_response'],
    ['an invalid day', serves(ecbDocument('2026-02-30', GOOD)), 'bad_response'],
    ['an entity', xml({ INR: '&inr;' }), 'bad_response'],
    [
      'a document type',
      serves(`<!DOCTYPE x [<!ENTITY inr SYSTEM "file:///etc/passwd">]>${ecbDocument(daysAgo(1), GOOD)}`),
      'bad_response',
    ],
  ];

  it.each(wrong)('%s', async (_what, behaviour, reason) => {
    server.behave(behaviour);
    expect(await rates().fetch()).toEqual({ outcome: 'failed', reason });
    expect(await loaded()).toEqual([]);
    const [row] = await fetches();
    expect(row).toMatchObject({ outcome: 'failed', reason, rate: null, observedAt: null });
    expect(row?.message).not.toContain('AGENT-SECRET-DETAIL');
  });

  it.each([
    ['another base', { amount: 1, base: 'EUR', date: daysAgo(1), rates: { INR: 93 } }],
    ['another amount', { amount: 100, base: 'USD', date: daysAgo(1), rates: { INR: 8_790 } }],
    ['a rate in words', { amount: 1, base: 'USD', date: daysAgo(1), rates: { INR: '87.9' } }],
    ['rates as a list', { amount: 1, base: 'USD', date: daysAgo(1), rates: [87.9] }],
    ['no date', { amount: 1, base: 'USD', rates: { INR: 87.9 } }],
    ['nothing', null],
  ])('JSON with %s', async (_what, output) => {
    server.behave({ kind: 'answer', output });
    expect(await rates('frankfurter').fetch()).toEqual({ outcome: 'failed', reason: 'bad_response' });
  });

  it('no server', async () => {
    expect(await rates('ecb', await refusingUrl()).fetch()).toEqual({
      outcome: 'failed',
      reason: 'unreachable',
    });
  });

  it('a forbidden address, which ends the process', () => {
    const config = loadConfig({
      NODE_ENV: 'test',
      DATABASE_URL: 'postgres://nowhere',
      FX_SOURCE: 'ecb',
      FX_SOURCE_URL: 'http://www.ecb.europa.eu/',
    });
    const deps = { pool: t.app, logger: createLogger('test', 'silent'), egress, config };
    expect(() => createRates(deps)).toThrow('FX_SOURCE_URL');
  });

  it('an internal address', async () => {
    const inside = await rates('ecb', 'https://127.0.0.1:9443/').fetch();
    expect(inside).toEqual({ outcome: 'failed', reason: 'unsafe_url' });
  });
});
