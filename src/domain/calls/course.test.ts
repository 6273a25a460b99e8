import fc from 'fast-check';
import { ERROR_CODES } from '../errors';
import { after, type CallStep, type Due, drive, type Next, type Place, type StepsAt } from './course';

const ORDER: readonly CallStep[] = ['hold', 'forward', 'validate', 'settle'];
const OUTCOMES = [
  { status: 'succeeded' },
  { status: 'failed', code: 'agent_error' },
  { status: 'disputed', code: 'already_disputed' },
] as const;

const code = fc.constantFrom(...ERROR_CODES);
const resolved = fc.record({ kind: fc.constant('resolved' as const), outcome: fc.constantFrom(...OUTCOMES) });
const failed = fc.record({ kind: fc.constant('failed' as const), code, durationMs: fc.nat() });
const fault = fc.record({ kind: fc.constant('fault' as const), code });
const undone = fc.constantFrom({ kind: 'elsewhere' } as const, { kind: 'skipped' } as const);
const DONE = {
  hold: { kind: 'held' },
  forward: { kind: 'answered', durationMs: 3, bytes: 2 },
  validate: { kind: 'valid', outputSha256: 'ab' },
  settle: { kind: 'settled', outcome: { status: 'succeeded' }, chargedCredits: 5 },
} as const;

/** Every result that a step may have. */
const RESULTS = {
  hold: fc.oneof(fc.constant(DONE.hold), resolved),
  forward: fc.oneof(fc.constant(DONE.forward), resolved, failed, fault, undone),
  validate: fc.oneof(fc.constant(DONE.validate), failed, fault, undone),
  settle: fc.oneof(fc.constant(DONE.settle), resolved, fault, undone),
};
const place = fc.constantFrom<Place>('here', 'owner', 'worker');
const run = fc.record({
  at: place,
  hold: RESULTS.hold,
  forward: RESULTS.forward,
  validate: RESULTS.validate,
  settle: RESULTS.settle,
});
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;

/** The steps that a run does, in their order, and how it ends. */
async function driven(results: Run, from: CallStep = 'hold'): Promise<{ did: CallStep[]; next: Next }> {
  const did: CallStep[] = [];
  const step = <S extends CallStep>(name: S) => {
    did.push(name);
    return Promise.resolve(results[name]);
  };
  const steps: StepsAt = {
    hold: () => step('hold'),
    forward: () => step('forward'),
    validate: () => step('validate'),
    settle: () => step('settle'),
  };
  return { did, next: await drive(steps, { step: from, at: results.at }) };
}

/** A run that ends at its first step that did not do its work. */
const endsByItself = ({ at, validate, settle }: Run) =>
  at !== 'worker' || ![validate.kind, settle.kind].some((kind) => kind === 'elsewhere' || kind === 'skipped');

it('runs the steps in order, each only after the one before it has succeeded', async () => {
  await fc.assert(
    fc.asyncProperty(run.filter(endsByItself), async (results) => {
      const { did } = await driven(results);
      expect(did).toEqual(ORDER.slice(0, did.length));
      expect(did.slice(0, -1).map((step) => results[step])).toEqual(
        did.slice(0, -1).map((step) => DONE[step]),
      );
    }),
  );
});

it('settles exactly the calls that are held, answered and valid', async () => {
  await fc.assert(
    fc.asyncProperty(run.filter(endsByItself), async (results) => {
      const { did, next } = await driven(results);
      const isValid = [results.hold, results.forward, results.validate].every(({ kind }) =>
        ['held', 'answered', 'valid'].includes(kind),
      );
      expect(did.includes('settle')).toBe(isValid);
      expect(next.kind === 'done' && did.includes('settle') && results.settle.kind === 'settled').toBe(
        isValid && results.settle.kind === 'settled',
      );
    }),
  );
});

it('refunds with the code of the step that failed, and never a call that is over', async () => {
  await fc.assert(
    fc.asyncProperty(run.filter(endsByItself), async (results) => {
      const { did, next } = await driven(results);
      const last = results[did.at(-1) ?? 'hold'];
      if (last.kind === 'failed' || last.kind === 'fault')
        expect(next).toEqual({ kind: 'refund', code: last.code });
      if (last.kind === 'resolved') expect(next).toEqual({ kind: 'done', outcome: last.outcome });
    }),
  );
});

it('continues with the same step at the owner when this process does not hold the call', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<CallStep>('forward', 'validate', 'settle'),
      undone,
      fc.constantFrom<Place>('here', 'owner'),
      (step, result, at) => {
        const next = after({ step, at }, result);
        expect(next).toEqual(
          at === 'here'
            ? { kind: 'step', step, at: 'owner' }
            : { kind: 'refund', code: 'engine_unavailable' },
        );
        return Promise.resolve();
      },
    ),
  );
});

it('calls the agent of a task again, if its hold allows that, when the answer is lost with its worker', async () => {
  const worker = (step: CallStep): Due => ({ step, at: 'worker' });
  expect(after(worker('validate'), { kind: 'elsewhere' })).toEqual({ kind: 'step', ...worker('forward') });
  expect(after(worker('settle'), { kind: 'elsewhere' })).toEqual({ kind: 'step', ...worker('forward') });
  expect(after(worker('forward'), { kind: 'elsewhere' })).toEqual({
    kind: 'refund',
    code: 'engine_unavailable',
  });
  const results: Run = { at: 'worker', ...DONE, hold: { kind: 'held' } };
  const answers: Run['forward'][] = [
    DONE.forward,
    { kind: 'failed', code: 'engine_unavailable', durationMs: 0 },
  ];
  const next = await drive(
    {
      hold: () => Promise.resolve(results.hold),
      forward: () => Promise.resolve(answers.shift() ?? DONE.forward),
      validate: () => Promise.resolve({ kind: 'elsewhere' }),
      settle: () => Promise.resolve(results.settle),
    },
    worker('forward'),
  );
  expect(next).toEqual({ kind: 'refund', code: 'engine_unavailable' });
});

it('ends every run: with an outcome, with a refund, or with a step at the owner', async () => {
  await fc.assert(
    fc.asyncProperty(run.filter(endsByItself), fc.constantFrom(...ORDER), async (results, from) => {
      const { next } = await driven(results, from);
      if (next.kind === 'step') expect([results.at, next.at]).toEqual(['here', 'owner']);
    }),
  );
});
