import type { CallResult } from './agent/in-flight';
import { createCallEndings } from './call-follower';

const endingOf = (result: CallResult | null | undefined) =>
  createCallEndings({
    inTurn: { report: () => (result === undefined ? undefined : { result, times: { held: 1, settled: 9 } }) },
  })('inv_x');

it('returns how a call of this process ended, with its credits and times', () => {
  const usage = { chargedCredits: 5, durationMs: 7 } as never;
  expect(endingOf({ ok: true, output: {} as never, usage })).toEqual({
    status: 'succeeded',
    creditsCharged: 5,
    stepsMs: { held: 1, settled: 9 },
  });
  expect(endingOf({ ok: false, code: 'agent_error' })).toMatchObject({
    status: 'failed',
    code: 'agent_error',
  });
  expect(endingOf({ ok: false, code: 'already_disputed' })).toMatchObject({ status: 'disputed' });
});

it('returns null for calls that run, that another process holds, or that a stopping process abandons', () => {
  expect(endingOf(null)).toBeUndefined();
  expect(endingOf(undefined)).toBeUndefined();
  expect(endingOf({ ok: false, code: 'engine_unavailable', isGivenUp: true })).toBeUndefined();
  expect(endingOf({ ok: false, code: 'engine_unavailable' })).toMatchObject({ status: 'failed' });
});
