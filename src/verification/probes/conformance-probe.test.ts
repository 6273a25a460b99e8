import { probe, type ProbeAnswer, type ProbeDeps } from './conformance-probe';

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

it('takes an answer as promised', async () => {
  const world = deps([]);
  const { fact } = await probe(world, '1');
  expect(fact).toEqual({ code: 'conforms', durationMs: 5, tries: 1, status: null, problems: [] });
  expect(world.calls).toEqual(['1']);
});

it('tries a broken connection once more, and no more than once', async () => {
  expect((await probe(deps([broken]), '1')).fact).toMatchObject({ code: 'conforms', tries: 2 });
  const twice = deps([broken, broken]);
  expect((await probe(twice, '1')).fact).toMatchObject({ code: 'agent_unreachable', tries: 2 });
  expect(twice.calls).toEqual(['1', '1']);
  expect(twice.pauses).toEqual([1_000]);
});

it('says where an answer is wrong, and does not try that again', async () => {
  const world = deps([], ['price', 'unit']);
  expect((await probe(world, '1')).fact).toMatchObject({
    code: 'output_schema_mismatch',
    problems: ['/items/0/price is required', '/items/0/unit is required'],
  });
  expect(world.calls).toEqual(['1']);
});

it('fails the run, not the agent, when the fault is ours', async () => {
  const world = { ...deps([]), call: () => Promise.reject(new Error('no database')) };
  await expect(probe(world, '1')).rejects.toThrow('no database');
});
