import { Type } from '@sinclair/typebox';
import { STAGES, type Stage } from '../domain/verification/trust';
import { Nullable, strictObject, Timestamp, enumOf } from './common';

export const OwnRun = strictObject(
  {
    run_id: Type.String(),
    version: Type.String(),
    state: enumOf(['running', 'passed', 'failed', 'faulted'], '`faulted`: by a fault of the service'),
    started_at: Timestamp,
    finished_at: Nullable(Timestamp),
    stages: Type.Array(
      strictObject({
        stage: enumOf<Stage>(STAGES),
        started_at: Nullable(Timestamp),
        finished_at: Nullable(Timestamp),
        failed: Type.Boolean({ description: 'A finding of this stage failed the run' }),
      }),
    ),
    failures: Type.Array(
      strictObject({
        stage: enumOf<Stage>(STAGES),
        what: Type.String({ examples: ['Probe 1 failed with agent_unreachable (connection refused)'] }),
        remedy: Nullable(Type.String()),
        address: Nullable(Type.String({ description: 'The address that was called' })),
        invocation_id: Nullable(
          Type.String({ description: 'The `X-Invocation-Id` of the probe that shows it' }),
        ),
        finding_id: Nullable(Type.String()),
      }),
      { description: 'Why the run failed; empty for every other run' },
    ),
  },
  { description: 'The newest verification run' },
);
