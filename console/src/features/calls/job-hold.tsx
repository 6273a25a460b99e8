import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get, SELDOM } from '../../client/queries';
import { Time } from '../../ui/time';
import type { CallDetail } from './call-steps';

export type JobHold = Answer<'/v1/billing/balance', 'get'>['held_for_jobs'][number];

/** The credits that wait with a job that runs. The balance has the hundred oldest. */
export function useJobHold({
  invocation_id: id,
  job,
  settled_at: settledAt,
}: CallDetail): JobHold | undefined {
  const isRunning = job !== undefined && settledAt === null;
  const { data } = useQuery({ ...get('/v1/billing/balance'), ...SELDOM, enabled: isRunning });
  return isRunning ? data?.held_for_jobs.find(({ invocation_id: of }) => of === id) : undefined;
}

/** What a hold waits for, and until when. */
export function HoldReason({ hold: { waits_for: waitsFor, ends_at: at } }: { hold: JobHold }) {
  if (waitsFor === 'settlement') return <>the agent has answered; the call ends now</>;
  return (
    <>
      {waitsFor === 'buyer' ? 'it waits for your answer until' : 'the agent must answer until'}{' '}
      <Time at={at} />
    </>
  );
}
