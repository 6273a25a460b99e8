import { pointsText } from './points';

it('writes points for people, with one decimal at most', () => {
  expect([20.667, 1, 1.04, 0, 0.05, 99.96].map(pointsText)).toEqual([
    '20.7 points',
    '1 point',
    '1 point',
    '0 points',
    '0.1 points',
    '100 points',
  ]);
});
