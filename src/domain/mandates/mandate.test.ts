import fc from 'fast-check';
import { MarketError } from '../errors';
import { chainOf, MAX_MANDATE_DEPTH, mandateVct, readMandate, readPresented, readProof } from './mandate';

const origin = 'https://market.example';
const NOW = 1_800_000_000;
const claims = {
  iss: 'usr_1',
  sub: 'agt_writer_v1',
  aud: origin,
  jti: 'mdt_1',
  iat: NOW,
  exp: NOW + 3_600,
  vct: mandateVct(origin, false),
  constraints: [{ type: 'market.credit_budget', max_credits: 5 }],
};
const read = (change: Record<string, unknown>) =>
  readMandate({ ...claims, ...change }, { origin, delegated: false, nowS: NOW });

/** Whether the mandate is accepted; any error but a refusal fails the test. */
function accepts(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(MarketError);
    expect((error as MarketError).code).toBe('mandate_invalid');
    return false;
  }
}

it.each<[string, Record<string, unknown>, boolean]>([
  ['issued 60 s ahead', { iat: NOW + 60 }, true],
  ['issued 61 s ahead', { iat: NOW + 61 }, false],
  ['valid in 60 s', { nbf: NOW + 60 }, true],
  ['valid in 61 s', { nbf: NOW + 61 }, false],
  ['expired 59 s ago', { iat: NOW - 600, exp: NOW - 59 }, true],
  ['expired 60 s ago', { iat: NOW - 600, exp: NOW - 60 }, false],
  ['of 31 days', { exp: NOW + 31 * 86_400 }, true],
  ['of 31 days and a second', { exp: NOW + 31 * 86_400 + 1 }, false],
  ['that expires when it was issued', { iat: NOW, exp: NOW }, false],
  ['with a claim that nobody knows', { nonce: 'x' }, true],
  ['with undisclosed claims', { _sd_alg: 'sha-256' }, false],
])('decides whether a mandate %s is valid', (_what, change, expected) => {
  expect(accepts(() => read(change))).toBe(expected);
});

it.each<[unknown, boolean]>([
  [[origin], true],
  [`${origin}/`, true],
  [['https://other.example', `${origin}/`], true],
  [[], false],
  [['https://other.example'], false],
  [[[origin]], false],
  [[origin, 1], false],
  [`${origin}//`, false],
  [`${origin}/x`, false],
  [{ 0: origin }, false],
  [undefined, false],
])('reads the audience %j as RFC 7519 writes it', (aud, expected) => {
  expect(accepts(() => read({ aud }))).toBe(expected);
  const claims = {
    aud: toAgent(aud),
    mandate_hash: 'm',
    request_hash: 'r',
    iat: NOW,
    jti: 'p',
    max_credits: 1,
  };
  const request = {
    origin,
    agentId: 'agt_a_v1',
    mandate: read({}),
    mandateHash: 'm',
    requestHash: 'r',
    nowS: NOW,
  };
  expect(accepts(() => readProof(claims, request))).toBe(expected);
});

/** Changes the audience `aud` of a mandate to the audience of a proof for `agt_a_v1`, in the same form. */
function toAgent(aud: unknown): unknown {
  if (typeof aud === 'string') return aud.replace(origin, `${origin}/v1/a2a/agt_a_v1`);
  return Array.isArray(aud) ? aud.map(toAgent) : aud;
}

it('names the vct and the audience that it expects', () => {
  expect(() => read({ vct: 'x' })).toThrow(`The vct of the mandate is not ${mandateVct(origin, false)}.`);
  expect(() => read({ aud: 'x' })).toThrow(origin);
});

it('refuses claims of any form, always with its own error', () => {
  const name = fc.constantFrom(...Object.keys(claims), 'nbf', 'cnf');
  fc.assert(
    fc.property(name, fc.jsonValue(), (claim, value) => {
      accepts(() => read({ [claim]: value }));
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(accepts(() => readMandate(value, { origin, delegated: true, nowS: NOW }))).toBe(false);
      expect(accepts(() => readPresented(value))).toBe(false);
      const expected = {
        origin,
        agentId: 'a',
        mandate: read({}),
        mandateHash: 'm',
        requestHash: 'r',
        nowS: NOW,
      };
      expect(accepts(() => readProof(value, expected))).toBe(false);
    }),
  );
});

it('accepts mandate objects of the specified form only', () => {
  const good = { type: 'a2a.spend.v1', jws: 'a.b.c' };
  expect(readPresented(good)).toEqual({ ...good, parents: [] });
  expect(readPresented({ ...good, proof: 'p', parents: ['r'] })).toEqual({
    ...good,
    proof: 'p',
    parents: ['r'],
  });
  for (const change of [
    { more: 1 },
    { jws: 1 },
    { proof: null },
    { parents: 'r' },
    { parents: [1] },
    { type: 'x' },
  ]) {
    expect(accepts(() => readPresented({ ...good, ...change }))).toBe(false);
  }
});

it('lets a chain be five mandates long', () => {
  const chain = (parents: number) =>
    chainOf({ type: 'a2a.spend.v1', jws: 'last', parents: Array(parents).fill('p') as string[] });
  expect(chain(0)).toEqual(['last']);
  expect(chain(MAX_MANDATE_DEPTH - 1)).toHaveLength(5);
  expect(() => chain(MAX_MANDATE_DEPTH)).toThrow(
    expect.objectContaining({ code: 'a2a_depth_exceeded' }) as Error,
  );
});
