/**
 * One verification of one version: four stages gather evidence, then the evidence is scored in one step. An error in an
 * activity is a fault of the service and is retried. When the fault lasts, the run is abandoned and no score changes.
 * The agent's own failures are evidence, not errors.
 */
import {
  defineQuery,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { VerificationActivities } from '../activities/verification';
import {
  probeQueue,
  type RunOutcome,
  type RunProgress,
  type RunStage,
  type VerificationRunInput,
} from '../domain/verification/verification';
import { show } from './details';

export const stageQuery = defineQuery<RunStage>('stage');
export const progressQuery = defineQuery<RunProgress>('progress');

const FAULT_RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;
/** A fault that lasts longer fails the run. The agent's workflow starts another run later. */
const PATIENCE = '6 hours';

const records = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '20s',
  scheduleToCloseTimeout: PATIENCE,
  retry: FAULT_RETRY,
});

/** Work on the bundle. It waits for its turn in the worker, and a file that crashes the worker is retried slowly. */
const bundle = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: PATIENCE,
  heartbeatTimeout: '10s',
  retry: { ...FAULT_RETRY, maximumInterval: '5 minutes' },
});

/**
 * Work at the endpoint, in a process that makes buyers' calls. Slow agents take long, and an attempt that was cut short
 * has already called the agent.
 */
const live = () =>
  proxyActivities<VerificationActivities>({
    taskQueue: probeQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '2 hours',
    scheduleToCloseTimeout: PATIENCE,
    heartbeatTimeout: '10s',
    retry: { ...FAULT_RETRY, initialInterval: '5s' },
  });

export async function verificationRun(input: VerificationRunInput): Promise<RunOutcome> {
  const progress: RunProgress = { stage: 'beginning', doing: 'Reads what to verify', next: 'stage 1 of 4' };
  setHandler(stageQuery, () => progress.stage);
  setHandler(progressQuery, () => progress);
  const begun = await records.beginVerification.executeWithOptions({ summary: 'choose the version' }, [
    input,
  ]);
  if (begun.kind !== 'run') {
    show({ state: `Nothing to verify: ${begun.kind}` });
    return begun;
  }
  try {
    return await fourStages(input, progress);
  } catch (error) {
    show({
      state: `Abandoned in the stage ${progress.stage}: a fault of the service lasted too long. No score changes`,
    });
    if (!isCancellation(error)) await records.abandonVerification(input.runId);
    throw error;
  }
}

async function fourStages(
  { agentId, runId }: VerificationRunInput,
  progress: RunProgress,
): Promise<RunOutcome> {
  const enter = (stage: RunStage, doing: string, next: string): void => {
    Object.assign(progress, { stage, doing, next });
    show({ state: doing, then: next, api: [`GET /v1/agents/${agentId}/trust-reports`] });
  };
  enter('static', 'Stage 1 of 4: reads the files of the bundle', 'stage 2: the packages');
  await bundle.staticAnalysis.executeWithOptions({ summary: 'stage 1: files' }, [runId]);
  enter('supplyChain', 'Stage 2 of 4: compares the packages with advisories', 'stage 3: calls of the agent');
  await bundle.supplyChain.executeWithOptions({ summary: 'stage 2: packages' }, [runId]);
  if (patched('stages-of-their-own')) {
    enter(
      'dynamic',
      'Stages 3 and 4 of 4: calls the agent with examples, generated inputs and attacks',
      'the score',
    );
    const allowed = await live().allowCalls.executeWithOptions({ summary: 'proof of the host' }, [runId]);
    const calls = live().dynamicTesting.executeWithOptions({ summary: 'stage 3: calls' }, [runId, allowed]);
    const attacks = live().redTeam.executeWithOptions({ summary: 'stage 4: attacks' }, [runId, allowed]);
    const attacked = calls.then(() =>
      enter('redTeam', 'Stage 4 of 4: attacks the agent with prompts', 'the score'),
    );
    await Promise.all([attacked, attacks]);
  } else {
    enter('dynamic', 'Stage 3 of 4: calls the agent with examples and generated inputs', 'stage 4: attacks');
    await live().dynamicTesting.executeWithOptions({ summary: 'stage 3: calls' }, [runId]);
    enter('redTeam', 'Stage 4 of 4: attacks the agent with prompts', 'the score');
    await live().redTeam.executeWithOptions({ summary: 'stage 4: attacks' }, [runId]);
  }
  enter('concluding', 'Scores the evidence', 'the report, and the version is live or rejected');
  const outcome = await records.concludeVerification.executeWithOptions({ summary: 'score and report' }, [
    runId,
  ]);
  enter('over', `Over: ${outcome.kind}`, 'nothing: the report is final');
  return outcome;
}
