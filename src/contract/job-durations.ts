import { Type } from '@sinclair/typebox';
import { named, Nullable, strictObject } from './common';

const Duration = Nullable(Type.Integer({ minimum: 0 }));

/** How long jobs took. Their durations are in no other figure. */
export const JobDurations = named(
  'JobDurations',
  strictObject(
    { count: Type.Integer({ minimum: 0 }), p50_ms: Duration, p95_ms: Duration },
    {
      description:
        'Jobs that succeeded: how many, and their median and 95th percentile from the acceptance of the call to the answer, ' +
        'within 1.6%. They stand apart from the calls that were answered at once. Public figures have the first job of each ' +
        'unrelated buyer in a day.',
    },
  ),
);

export const NO_JOBS = { count: 0, p50_ms: null, p95_ms: null };
