import { isEvidence } from './behaviour';

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
