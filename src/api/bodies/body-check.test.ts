import type { Request } from 'express';
import { register } from '../../contract/accounts';
import { topUp } from '../../contract/topups';
import { depositBond } from '../../contract/bonds';
import { openDispute } from '../../contract/disputes';
import { createKey } from '../../contract/keys';
import { registerMandateKey } from '../../contract/mandates';
import { putPayoutMethod } from '../../contract/payouts';
import { publishRubric } from '../../contract/rubrics';
import { applySlash } from '../../contract/slashes';
import { getAnalytics } from '../../contract/usage';
import { MarketError } from '../../domain/errors';
import { withHeaderProblems } from '../requests/request-fields';
import { bodyCheckOf, queryCheckOf } from './body-check';

/** A key of RFC 7517, appendix A.1. */
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};
/** The checksum of ERC-55 has `5aAeb` here. */
const WRONG_CHECKSUM = '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const places = (operation: Parameters<typeof bodyCheckOf>[0], body: unknown) =>
  bodyCheckOf(operation)?.(body, 10).map(({ loc }) => loc.join('.'));

it('lists fields that the service would refuse beside malformed fields', () => {
  const key = { name: 'k', scopes: ['nothing'], expires_at: '2020-01-01' };
  expect(places(createKey, key)).toEqual(['body.scopes.0', 'body.expires_at']);
  expect(places(createKey, { ...key, name: '', more: 1 })?.sort()).toEqual([
    'body.expires_at',
    'body.more',
    'body.name',
    'body.scopes.0',
  ]);
  expect(places(topUp, { amountPaise: 'x', currency: 'XYZ' })).toEqual(['body.amountPaise', 'body.currency']);
});

it.each<[string, Parameters<typeof bodyCheckOf>[0], unknown, string[]]>([
  [
    'registration',
    register,
    { email: 'x', password: 'password', displayName: '', role: 'admin' },
    ['displayName', 'email', 'password', 'role'],
  ],
  ['a deposit', depositBond, { credits: 1.005, more: 1 }, ['credits', 'more']],
  [
    'a slash',
    applySlash,
    { agent_id: 'x', credits: 1.005, explanation: '', evidence: '\ud800', invocation_ids: [] },
    ['agent_id', 'credits', 'evidence', 'explanation', 'invocation_ids'],
  ],
  [
    'a slash of the right form',
    applySlash,
    {
      agent_id: 'agt_a_v1',
      credits: 1.005,
      explanation: 'why',
      evidence: '\ud800',
      invocation_ids: [`inv_${'0'.repeat(32)}`],
    },
    ['credits', 'evidence'],
  ],
  [
    'a payout method',
    putPayoutMethod,
    { method: 'ach', details: { routing_number: '1', account_number: 5, more: 'x' }, totp_code: 5 },
    [
      'details.account_holder_name',
      'details.account_number',
      'details.account_type',
      'details.more',
      'details.routing_number',
      'totp_code',
    ],
  ],
  [
    'a mandate key',
    registerMandateKey,
    { jwk: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43), alg: 'none' }, name: '' },
    ['jwk.alg', 'jwk.x', 'name'],
  ],
  [
    'a mandate key whose thumbprint is that of another key',
    registerMandateKey,
    { jwk: { ...KEY, kid: 'A'.repeat(43), ext: 1 }, name: '' },
    ['jwk.ext', 'jwk.kid', 'name'],
  ],
  [
    'a payout address with a wrong checksum',
    putPayoutMethod,
    { method: 'usdc', details: { address: WRONG_CHECKSUM, network: 'mainnet' } },
    ['details.address', 'details.network'],
  ],
  [
    'a payout address with a wrong checksum and a code that is no text',
    putPayoutMethod,
    { method: 'usdc', details: { address: WRONG_CHECKSUM, network: 'base' }, totp_code: 5 },
    ['details.address', 'totp_code'],
  ],
  [
    'an account abroad',
    putPayoutMethod,
    {
      method: 'swift',
      details: {
        account_holder_name: '',
        bic: 'DEUTDEFF',
        iban: 'DE89370400440532013000',
        country: 'FR',
        town: 'B',
      },
    },
    ['details.account_holder_name', 'details.country'],
  ],
  [
    'a dispute',
    openDispute,
    {
      invocation_id: 'x',
      reason: 'output_incorrect',
      description: 'why',
      attachments: { input: 'x'.repeat(262_145), output: { text: 'x'.repeat(262_145) } },
    },
    ['attachments.input', 'attachments.output', 'invocation_id'],
  ],
  [
    'a rubric',
    publishRubric,
    { document: { version: 'x' }, changelog: '', rfc_url: 'http://a' },
    [
      'changelog',
      ...['badge_with_high_finding', 'badges', 'checks', 'coverage', 'deductions', 'limits'].map(
        (name) => `document.${name}`,
      ),
      ...['document.severities', 'document.texts'],
      'rfc_url',
    ],
  ],
])('lists every invalid field of %s', (_what, operation, body, fields) => {
  expect(places(operation, body)?.sort()).toEqual(fields.map((field) => `body.${field}`));
});

it('lists a window of days beside malformed fields', () => {
  const check = queryCheckOf(getAnalytics);
  const query = (value: unknown) => check?.(value).map(({ loc }) => loc.join('.'));
  expect(query({ since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z', more: 1 })).toEqual([
    'query.more',
    'query.since',
  ]);
  expect(query({ since: '2020-02-01T00:00:00Z', more: 1 })).toEqual(['query.more', 'query.since']);
  expect(query({ since: 'x', until: 'y' })).toEqual(['query.since', 'query.until']);
});

it('names a field once, and leaves a body whose only problem is a rule of the service to the service', () => {
  expect(places(createKey, { name: '', scopes: ['agents:read'], expires_at: 'soon' })).toEqual([
    'body.name',
    'body.expires_at',
  ]);
  expect(places(createKey, { name: 'k', scopes: ['agents:read'], expires_at: '2020-01-01' })).toEqual([]);
  expect(places(topUp, [])).toEqual(['body']);
});

it('adds an invalid Idempotency-Key to the problems of a body', () => {
  const problem = { loc: ['body', 'currency'], msg: 'must be text', type: 'type' };
  const error = new MarketError('validation_failed', { detail: [problem] });
  const asked = (key: string | undefined) =>
    withHeaderProblems(error, topUp, { get: () => key } as unknown as Request);
  expect(asked('a b')).toMatchObject({
    code: 'validation_failed',
    detail: [problem, { loc: ['header', 'Idempotency-Key'], type: 'invalid_header' }],
  });
  expect([asked('ok'), asked(undefined)]).toEqual([error, error]);
  expect(withHeaderProblems(error, createKey, { get: () => 'a b' } as unknown as Request)).toBe(error);
});
