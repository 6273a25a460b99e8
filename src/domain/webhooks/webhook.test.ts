import { mayHearOfOthers, rotateSecrets, secretsAt, typesWithoutAgent } from './webhook';

const graceMs = 1_000;

it('signs with the new secret and, for the grace, with those before', () => {
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

it('forgets the secrets before when there is no grace, also those whose grace was longer', () => {
  const two = rotateSecrets([{ secret: 'a', untilMs: null }], 'b', { nowMs: 0, graceMs });
  expect(rotateSecrets(two, 'c', { nowMs: 1, graceMs: 0 })).toEqual([{ secret: 'c', untilMs: null }]);
});

it('hears of the agents of others only their score, and of no agent what no agent has', () => {
  expect(mayHearOfOthers(['trust_score.updated'])).toBe(true);
  expect(mayHearOfOthers(['trust_score.updated', 'agent.delisted'])).toBe(false);
  expect(typesWithoutAgent(['payout.failed', 'bond.slashed', 'credits.loaded'])).toEqual([
    'payout.failed',
    'credits.loaded',
  ]);
});
