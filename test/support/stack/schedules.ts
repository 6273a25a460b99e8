/** Schedules of the workers, as tests ask them. */
import type { ScheduleHandle } from '@temporalio/client';
import { eventually } from '../market';

const MADE_IN_MS = 20_000;

/** Whether the engine knows of what is asked about. */
export const answers = (question: Promise<unknown>): Promise<boolean> =>
  question.then(
    () => true,
    () => false,
  );

/** Resolves when a worker has made the Schedule. */
export function isMade(schedule: ScheduleHandle, withinMs = MADE_IN_MS): Promise<void> {
  return eventually(() => answers(schedule.describe()), withinMs);
}

/** Has it make up for its turns between two instants, one after the other, as it would after an outage. */
export function makeUp(schedule: ScheduleHandle, start: Date, end: Date): Promise<void> {
  return schedule.backfill({ start, end, overlap: 'BUFFER_ALL' });
}
