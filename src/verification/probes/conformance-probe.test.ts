import { isRefusal, probe, type ProbeAnswer, type ProbeDeps } from './conformance-probe';

const MADE = { text: '1', origin: 'made' } as const;
const fine: ProbeAnswer = { ok: true, json: Buffer.from('{}'), durationMs: 5 };
const broken: ProbeAnswer = { ok: false, code: 'agent_unreachable', durationMs: 1 };

function deps(answers: ProbeAnswer[], problems: string[] = []): ProbeDeps & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    call(input) {
      calls.push(input.toString());
      return Promise.resolve(answers.shift() ?? fine);
    },
    check: () =>
      Promise.resolve(
        problems.map((name) => ({ loc: ['items', 0, name], msg: 'is required', type: 'required' })),
      ),
    pause() {
      calls.push('pause');
      return Promise.resolve();
    },
  };
}

it('accepts an answer that matches the schema', async () => {
  const world = deps([]);
  const { fact } = await probe(world, MADE);
  expect(fact).toEqual({
    code: 'conforms',
    durationMs: 5,
    tries: 1,
    status: null,
    problems: [],
    input: 'made',
  });
  expect(world.calls).toEqual(['1']);
});

it('retries a broken connection once', async () => {
  expect((await probe(deps([broken]), MADE)).fact).toMatchObject({ code: 'conforms', tries: 2 });
  const twice = deps([broken, broken]);
  expect((await probe(twice, MADE)).fact).toMatchObject({ code: 'agent_unreachable', tries: 2 });
  expect(twice.calls).toEqual(['1', 'pause', '1']);
});

it('treats a refused input as an answer, and does not retry it', async () => {
  const refused: ProbeAnswer = { ok: false, code: 'agent_error', durationMs: 1, status: 422 };
  const world = deps([refused]);
  const { fact } = await probe(world, MADE);
  expect(isRefusal(fact)).toBe(true);
  expect(world.calls).toEqual(['1']);
  expect(isRefusal({ ...fact, status: 401 })).toBe(false);
  expect(isRefusal({ ...fact, status: 500 })).toBe(false);
});

it('reports where an answer is wrong, and does not retry it', async () => {
  const world = deps([], ['price', 'unit']);
  expect((await probe(world, MADE)).fact).toMatchObject({
    code: 'output_schema_mismatch',
    problems: ['/items/0/price is required', '/items/0/unit is required'],
  });
  expect(world.calls).toEqual(['1']);
});

it('fails the run, not the agent, if the service is at fault', async () => {
  const world = { ...deps([]), call: () => Promise.reject(new Error('no database')) };
  await expect(probe(world, MADE)).rejects.toThrow('no database');
});
