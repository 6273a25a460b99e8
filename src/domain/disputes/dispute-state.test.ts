import { DISPUTE_STATUSES, DISPUTE_TRANSITIONS, isDecided, mayDisputeMove } from './dispute-state';

it('a case goes from open to accepted or contested, and from contested to accepted, won or lost', () => {
  const moves = DISPUTE_STATUSES.flatMap((from) =>
    DISPUTE_STATUSES.filter((to) => mayDisputeMove(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(moves).toEqual([
    'open → accepted',
    'open → contested',
    'contested → accepted',
    'contested → won',
    'contested → lost',
  ]);
});

it('only open and contested cases are undecided', () => {
  expect(DISPUTE_STATUSES.filter((status) => !isDecided(status))).toEqual(['open', 'contested']);
});

it('every transition names the party that makes it', () => {
  expect(Object.values(DISPUTE_TRANSITIONS).flatMap((moves) => Object.values(moves))).toEqual([
    'developer, or the end of the time to respond',
    'developer',
    'buyer, by accepting an offer',
    'operator',
    'operator',
  ]);
});
