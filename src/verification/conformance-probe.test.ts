import { conformanceFailure, probeConformance, type ProbeAnswer, type ProbeDeps } from './conformance-probe';

const fine: ProbeAnswer = { ok: true, json: Buffer.from('{}'), durationMs: 5 };
const broken: ProbeAnswer = { ok: false, code: 'agent_unreachable', durationMs: 1 };

function deps(
  answers: ProbeAnswer[],
  problems: string[] = [],
): ProbeDeps & { calls: string[]; pauses: number[] } {
  const calls: string[] = [];
  const pauses: number[] = [];
  return {
    calls,
    pauses,
    call(input) {
      calls.push(input.toString());
      return Promise.resolve(answers.shift() ?? fine);
    },
    check: () =>
      Promise.resolve(
        problems.map((name) => ({ loc: ['items', 0, name], msg: 'is required', type: 'required' })),
      ),
    pause(ms) {
      pauses.push(ms);
      return Promise.resolve();
    },
  };
}

it('passes when every input is answered as promised', async () => {
  const world = deps([]);
  const evidence = await probeConformance(world, ['1', '2', '3'], 3);
  expect(evidence.probes.map(({ code }) => code)).toEqual(['conforms', 'conforms', 'conforms']);
  expect(world.calls).toEqual(['1', '2', '3']);
  expect(conformanceFailure(evidence)).toBeUndefined();
});

it('tries a broken connection once more, and no more than once', async () => {
  const once = deps([broken]);
  expect(conformanceFailure(await probeConformance(once, ['1'], 3))).toBeUndefined();
  expect(once.calls).toEqual(['1', '1']);
  const twice = deps([broken, broken]);
  expect(conformanceFailure(await probeConformance(twice, ['1', '2'], 3))).toBe(
    'Probe 1 failed with agent_unreachable',
  );
  expect(twice.calls).toEqual(['1', '1']);
  expect(twice.pauses).toEqual([1_000]);
});

it('says where an answer is wrong, and does not try that again', async () => {
  const world = deps([], ['price', 'unit']);
  const evidence = await probeConformance(world, ['1', '2'], 3);
  expect(conformanceFailure(evidence)).toBe(
    'Probe 1 failed with output_schema_mismatch: /items/0/price is required; /items/0/unit is required',
  );
  expect(world.calls).toEqual(['1']);
});

it('does not pass what it could not look at', async () => {
  const evidence = await probeConformance(deps([]), [], 3);
  expect(evidence.coverage).toEqual({ inputs_wanted: 3, inputs_made: 0 });
  expect(conformanceFailure(evidence)).toContain('examples');
});

it('fails the run, not the agent, when the fault is ours', async () => {
  const world = { ...deps([]), call: () => Promise.reject(new Error('no database')) };
  await expect(probeConformance(world, ['1'], 3)).rejects.toThrow('no database');
});
