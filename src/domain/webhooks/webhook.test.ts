import { mayHearOfOthers, rotateSecrets, secretsAt, typesWithoutAgent } from './webhook';

const graceMs = 1_000;

it('signs with the new secret and, during the grace period, with the earlier ones', () => {
  const first = [{ secret: 'a', untilMs: null }];
  const second = rotateSecrets(first, 'b', { nowMs: 0, graceMs });
  const third = rotateSecrets(second, 'c', { nowMs: 400, graceMs });
  expect(third.map(({ secret, untilMs }) => [secret, untilMs])).toEqual([
    ['c', null],
    ['b', 1_400],
    ['a', 1_000],
  ]);
  const signing = (nowMs: number) => secretsAt(third, nowMs).map(({ secret }) => secret);
  expect([signing(999), signing(1_000), signing(1_400)]).toEqual([['c', 'b', 'a'], ['c', 'b'], ['c']]);
});

it('drops all earlier secrets if the grace is zero, also those with a longer grace period', () => {
  const two = rotateSecrets([{ secret: 'a', untilMs: null }], 'b', { nowMs: 0, graceMs });
  expect(rotateSecrets(two, 'c', { nowMs: 1, graceMs: 0 })).toEqual([{ secret: 'c', untilMs: null }]);
});

it('may name another developer’s agent for score events only, and no agent for types without an agent', () => {
  expect(mayHearOfOthers(['trust_score.updated'])).toBe(true);
  expect(mayHearOfOthers(['trust_score.updated', 'agent.delisted'])).toBe(false);
  expect(typesWithoutAgent(['payout.failed', 'bond.slashed', 'credits.loaded'])).toEqual([
    'payout.failed',
    'credits.loaded',
  ]);
});
