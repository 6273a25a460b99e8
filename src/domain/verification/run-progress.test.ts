import { failuresOf, progressOf } from './run-progress';
import { type JudgedFinding, type Severity, STAGES } from './trust';

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

describe('what failed a run', () => {
  const finding = (severity: Severity, waived = false) =>
    ({ severity, waiver: waived ? { waiver_id: 'wvr_1' } : null }) as unknown as JudgedFinding;
  const stagesWith = (found: Partial<Record<(typeof STAGES)[number], JudgedFinding[]>>) => ({
    stages: Object.fromEntries(STAGES.map((stage) => [stage, { findings: found[stage] ?? [] }])) as never,
  });

  it('is each critical finding that is not waived, in the order of the stages', () => {
    const [first, second] = [finding('critical'), finding('critical')];
    const judged = stagesWith({
      red_team: [second],
      supply_chain: [finding('high'), finding('critical', true)],
      static_analysis: [first],
    });
    expect(failuresOf(judged)).toEqual([
      { stage: 'static_analysis', finding: first },
      { stage: 'red_team', finding: second },
    ]);
  });

  it('is dynamic testing for a version that was never called', () => {
    expect(failuresOf(stagesWith({}))).toEqual([{ stage: 'dynamic_testing', finding: null }]);
  });
});
