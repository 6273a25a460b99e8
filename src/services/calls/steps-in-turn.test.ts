import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import type { InFlightCall } from './agent/in-flight';
import { createInvocationRegistry, type InvocationRegistry } from './invocation-registry';
import { createStepsInTurn } from './steps-in-turn';

const ID = 'inv_1';
let registry: InvocationRegistry;
let call: InFlightCall;
/** The steps that ran, in their order. */
let ran: string[];
/** Steps that a fault breaks off, as often as they stand here. */
let faults: string[];

async function run<S>(name: string, step: S): Promise<S> {
  ran.push(name);
  await new Promise((resolve) => setImmediate(resolve));
  const fault = faults.indexOf(name);
  if (fault < 0) return step;
  faults.splice(fault, 1);
  throw new Error(`${name} broke`);
}

const outcome = { status: 'succeeded' } as const;
const plainSteps = {
  hold: () => run('hold by id', { kind: 'resolved', outcome } as const),
  holdToForward: () => run('hold', { kind: 'held' } as const),
  forward: () => run('forward', { kind: 'answered', durationMs: 1, bytes: 2 } as const),
  validate: () => run('validate', { kind: 'valid', outputSha256: 'a' } as const),
  settle: async () => {
    const settled = await run('settle', { kind: 'settled', outcome, chargedCredits: 5 } as const);
    call.finish({ ok: false, code: 'internal_error' });
    return settled;
  },
};

beforeEach(() => {
  ran = [];
  faults = [];
  registry = createInvocationRegistry('owner');
  call = registry.open({ invocationId: ID, version: {} as ServingVersion } as InFlightCall);
});

const kinds = async (steps: ReturnType<typeof createStepsInTurn>) =>
  (await Promise.all([steps.hold(ID), steps.forward(ID), steps.validate(ID), steps.settle(ID)])).map(
    ({ kind }) => kind,
  );

it('runs each step once, also if the workflow requests it', async () => {
  const steps = createStepsInTurn(plainSteps, registry);
  steps.begin(call);
  expect(await kinds(steps)).toEqual(['held', 'answered', 'valid', 'settled']);
  expect(ran).toEqual(['hold', 'forward', 'validate', 'settle']);
});

it('gives the workflow the results of steps that ended before its request', async () => {
  const steps = createStepsInTurn(plainSteps, registry);
  steps.begin(call);
  await call.done;
  expect(registry.find(ID)).toBeUndefined();
  expect(await kinds(steps)).toEqual(['held', 'answered', 'valid', 'settled']);
  expect(ran).toHaveLength(4);
});

it.each(['hold', 'forward', 'validate', 'settle'])('leaves a failed %s to the workflow', async (name) => {
  faults = [name];
  const steps = createStepsInTurn(plainSteps, registry);
  steps.begin(call);
  const asked = { hold: steps.hold, forward: steps.forward, validate: steps.validate, settle: steps.settle };
  await expect(asked[name as keyof typeof asked](ID)).rejects.toThrow(`${name} broke`);
  expect(ran.filter((step) => step === name)).toHaveLength(1);
  expect(await kinds(steps)).toEqual(['held', 'answered', 'valid', 'settled']);
  expect(ran.filter((step) => step === name)).toHaveLength(2);
  expect(ran).toHaveLength(5);
});

it('skips what comes after a step that did not end well', async () => {
  const failed = { kind: 'failed', code: 'agent_error', durationMs: 1 } as const;
  const steps = createStepsInTurn({ ...plainSteps, forward: () => run('forward', failed) }, registry);
  steps.begin(call);
  expect(await kinds(steps)).toEqual(['held', 'failed', 'skipped', 'skipped']);
  expect(ran).toEqual(['hold', 'forward']);
});

it('skips what has not begun when the call is over', async () => {
  const steps = createStepsInTurn({ ...plainSteps, forward: () => new Promise(() => undefined) }, registry);
  steps.begin(call);
  await steps.hold(ID);
  call.finish({ ok: false, code: 'engine_unavailable' });
  expect((await steps.validate(ID)).kind).toBe('skipped');
  expect((await steps.settle(ID)).kind).toBe('skipped');
});

it('repeats a step of the driver that failed with a fault, and joins the requests of the workflow', async () => {
  faults = ['validate', 'validate'];
  const steps = createStepsInTurn(plainSteps, registry);
  const own = steps.ofDriver(call);
  await own.hold();
  await own.forward();
  expect(await own.validate()).toMatchObject({ kind: 'valid' });
  const settled = await Promise.all([own.settle(), steps.settle(ID)]);
  expect(settled.map(({ kind }) => kind)).toEqual(['settled', 'settled']);
  expect(ran).toEqual(['hold', 'forward', 'validate', 'validate', 'validate', 'settle']);
});

it('leaves a step to its workflow when the driver has repeated it in vain', async () => {
  faults = ['forward', 'forward', 'forward'];
  const own = createStepsInTurn(plainSteps, registry).ofDriver(call);
  await own.hold();
  await expect(own.forward()).rejects.toThrow('forward broke');
  expect(ran).toEqual(['hold', 'forward', 'forward', 'forward']);
});

it('reads the hold row for calls that this process does not hold', async () => {
  const steps = createStepsInTurn(plainSteps, createInvocationRegistry('another'));
  expect(await kinds(steps)).toEqual(['resolved', 'elsewhere', 'elsewhere', 'elsewhere']);
  expect(ran).toEqual(['hold by id']);
});
