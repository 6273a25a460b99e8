import { progressOf } from './run-progress';

const at = (second: number) => new Date(Date.UTC(2026, 10, 2, 0, 0, second));
const seconds = (time: Date | null) => time && time.getUTCSeconds();
const shown = (storedAt: Parameters<typeof progressOf>[1]) =>
  progressOf(at(0), storedAt).map(({ startedAt, finishedAt }) => [seconds(startedAt), seconds(finishedAt)]);

it.each([
  [
    'begins',
    {},
    [
      [0, null],
      [null, null],
      [null, null],
      [null, null],
    ],
  ],
  [
    'reads packages',
    { static: at(2) },
    [
      [0, 2],
      [2, null],
      [null, null],
      [null, null],
    ],
  ],
  [
    'calls the agent, for both stages at once',
    { static: at(2), supplyChain: at(3) },
    [
      [0, 2],
      [2, 3],
      [3, null],
      [3, null],
    ],
  ],
  [
    'is complete',
    { static: at(2), supplyChain: at(3), dynamic: at(9), redTeam: at(9) },
    [
      [0, 2],
      [2, 3],
      [3, 9],
      [3, 9],
    ],
  ],
])('shows the stages of a run that %s', (_name, storedAt, expected) => {
  expect(shown(storedAt)).toEqual(expected);
});
