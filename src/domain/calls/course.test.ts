import fc from 'fast-check';
import { ERROR_CODES } from '../errors';
import {
  after,
  type Due,
  drive,
  type Fault,
  type HeldStep,
  type Next,
  type Place,
  type StepsAt,
} from './course';
import type { WaitStep } from './invocation-steps';

const ORDER: readonly HeldStep[] = ['hold', 'forward', 'validate', 'settle'];
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
async function driven(results: Run, from: HeldStep = 'hold'): Promise<{ did: HeldStep[]; next: Next }> {
  const did: HeldStep[] = [];
  const step = <S extends HeldStep>(name: S) => {
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
      fc.constantFrom<HeldStep>('forward', 'validate', 'settle'),
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
  const worker = (step: HeldStep): Due => ({ step, at: 'worker' });
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

describe('a job', () => {
  const steps = (waits: (WaitStep | Fault)[], validate: Run['validate'][] = []): StepsAt => ({
    hold: () => Promise.resolve(DONE.hold),
    forward: () => Promise.resolve({ kind: 'taken' }),
    wait: () => Promise.resolve(waits.shift() ?? { kind: 'failed', code: 'agent_timeout', durationMs: 0 }),
    validate: () => Promise.resolve(validate.shift() ?? DONE.validate),
    settle: () => Promise.resolve(DONE.settle),
  });
  const from = { step: 'hold', at: 'worker' } as const;

  it('is settled once its answer has come and is valid', async () => {
    expect(await drive(steps([DONE.forward]), from)).toEqual({ kind: 'done', outcome: DONE.settle.outcome });
  });

  it('is left to its workflow by a place that cannot wait', async () => {
    const { wait: _none, ...others } = steps([]);
    expect(await drive(others, from)).toEqual({ kind: 'step', step: 'wait', at: 'worker' });
  });

  it('waits again when its answer is lost with its worker', async () => {
    const waits: WaitStep[] = [DONE.forward, { kind: 'failed', code: 'agent_error', durationMs: 1 }];
    expect(await drive(steps(waits, [{ kind: 'elsewhere' }]), from)).toEqual({
      kind: 'refund',
      code: 'agent_error',
    });
  });

  it('is never settled unless its wait was answered', async () => {
    const ends = fc.oneof(resolved, failed, fault);
    await fc.assert(
      fc.asyncProperty(ends, async (end) => {
        const next = await drive(steps([end]), from);
        expect(next).toEqual(
          end.kind === 'resolved'
            ? { kind: 'done', outcome: end.outcome }
            : { kind: 'refund', code: end.code },
        );
      }),
    );
  });
});
