import { isEvidence, judgeTally } from './behaviour';

it.each([
  ['a paid call of a buyer', 'usr_buyer', 'usr_developer', 1, true],
  ['a free call of a buyer', 'usr_buyer', 'usr_developer', 0, false],
  ['a paid call of the developer', 'usr_developer', 'usr_developer', 1, false],
])(
  '%s is evidence of the agent: %s, %s, %d units',
  (_what, buyerUserId, developerUserId, priceUnits, expected) => {
    expect(isEvidence({ buyerUserId, developerUserId, priceUnits })).toBe(expected);
  },
);

const NONE = { calls: 0, days: 0, buyers: 0 };
const period = (failed: typeof NONE, succeeded: typeof NONE, buyerDays: number, refused = NONE) => ({
  failed,
  succeeded,
  refused,
  buyerDays,
});

it.each([
  ['400 failing calls of one buyer', period({ calls: 400, days: 1, buyers: 1 }, NONE, 1), 'wait'],
  ['those of one buyer over a month', period({ calls: 900, days: 30, buyers: 1 }, NONE, 30), 'wait'],
  ['failing calls of two buyers', period({ calls: 40, days: 2, buyers: 2 }, NONE, 2), 'wait'],
  ['20 failing calls of three buyers', period({ calls: 20, days: 3, buyers: 3 }, NONE, 3), 'bad'],
  [
    'three rivals among many content buyers',
    period({ calls: 90, days: 3, buyers: 3 }, { calls: 40, days: 40, buyers: 40 }, 43),
    'good',
  ],
  [
    'a few failures of each large buyer',
    period({ calls: 60, days: 0.06, buyers: 0 }, { calls: 2_940, days: 2.94, buyers: 3 }, 3),
    'good',
  ],
  ['400 good calls of one friend', period(NONE, { calls: 400, days: 1, buyers: 1 }, 1), 'wait'],
  ['20 refused calls of one buyer', period(NONE, NONE, 1, { calls: 20, days: 1, buyers: 1 }), 'wait'],
  ['20 refused calls of three buyers', period(NONE, NONE, 3, { calls: 20, days: 3, buyers: 3 }), 'refusing'],
  [
    'a long period between good and bad',
    period({ calls: 30, days: 30, buyers: 30 }, { calls: 171, days: 171, buyers: 9 }, 201),
    'restart',
  ],
])('judges %s', (_what, tally, expected) => {
  expect(judgeTally(tally, undefined)).toBe(expected);
});
