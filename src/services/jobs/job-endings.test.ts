import type { JobLook } from '../../domain/jobs/job-look';
import { endedHere, type EndingSteps } from './job-endings';

const ANSWERED: JobLook = { kind: 'answered', durationMs: 1, bytes: 2 };
const SUCCEEDED = { status: 'succeeded' } as const;
const logger = { info: jest.fn() } as never;

function stepsOf(given: Partial<Record<keyof EndingSteps, unknown>>): EndingSteps {
  const step = (result: unknown) => () =>
    result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  const results = {
    validate: { kind: 'valid', outputSha256: 'x' },
    settle: { kind: 'settled', outcome: SUCCEEDED, chargedCredits: 1 },
    refund: { outcome: { status: 'failed', code: 'agent_error' } },
    ...given,
  };
  return Object.fromEntries(Object.entries(results).map(([name, result]) => [name, step(result)])) as never;
}

const end = (look: JobLook, given = {}) => endedHere({ steps: stepsOf(given), logger }, 'inv_1', look);

it('settles an answer, and refunds one that is not valid', async () => {
  expect(await end(ANSWERED)).toEqual({ kind: 'resolved', outcome: SUCCEEDED, durationMs: 1 });
  expect(await end(ANSWERED, { validate: { kind: 'failed', code: 'output_mismatch' } })).toMatchObject({
    outcome: { status: 'failed' },
  });
});

it('refunds a failure, and leaves a job that waits alone', async () => {
  expect(await end({ kind: 'failed', code: 'agent_error', durationMs: 1 })).toMatchObject({
    outcome: { code: 'agent_error' },
  });
  const waiting: JobLook = { kind: 'waiting', waitMs: 1, endsAtMs: 1, isAsked: false };
  expect(await end(waiting)).toBe(waiting);
});

it.each(['validate', 'settle', 'refund'])('leaves an answer to the workflow when %s fails', async (step) => {
  const given = { validate: { kind: 'failed', code: 'output_mismatch' }, [step]: new Error('away') };
  if (step === 'settle') given.validate = { kind: 'valid', code: '' };
  expect(await end(ANSWERED, given)).toBe(ANSWERED);
});

it('leaves an answer that another process holds to the workflow', async () => {
  expect(await end(ANSWERED, { settle: { kind: 'elsewhere' } })).toBe(ANSWERED);
});
