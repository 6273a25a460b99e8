/**
 * Puts a rubric into effect. It waits for the end of the comment period and adopts the rubric by this workflow's clock.
 * Then it requests a run of every agent, oldest report first, spread over 28 days so that the last run ends within 30
 * (specification, "Limits": rubric re-run). The database rejects a rubric that would take effect too early.
 */
import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { RubricRolloutActivities } from '../activities/rubric-rollout';
import {
  askInTurn,
  ROLLOUT_DAYS,
  ROLLOUT_TICK_MS,
  type RubricRolloutInput,
  type RubricRolloutState,
} from '../domain/verification/rubric-rollout';
import { show, timerSummary } from './details';

export const stateQuery = defineQuery<RubricRolloutState>('state');

const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_HISTORY_EVENTS = 2_000;

const records = proxyActivities<RubricRolloutActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' },
});

export async function rubricRollout(input: RubricRolloutInput): Promise<RubricRolloutState['phase']> {
  const { version, commentEndsAtMs } = input;
  const state: RubricRolloutState = { phase: 'comments', asked: input.asked ?? 0, progress: null };
  setHandler(stateQuery, () => state);

  let effectiveAtMs = input.effectiveAtMs;
  if (effectiveAtMs === undefined) {
    show({
      state: `Waits for the end of the comment period of rubric ${version}`,
      untilMs: commentEndsAtMs,
      then: 'the rubric takes effect, and every agent is verified again within 30 days',
    });
    await sleep(
      Math.max(1, commentEndsAtMs - Date.now()),
      timerSummary(`comments on rubric ${version}`, commentEndsAtMs),
    );
    if (!(await records.adoptRubric(version, new Date().toISOString()))) {
      state.phase = 'withdrawn';
      show({ state: `Rubric ${version} was withdrawn before it took effect` });
      return state.phase;
    }
    effectiveAtMs = Date.now();
  }

  state.phase = 'rolling_out';
  const endsAtMs = effectiveAtMs + ROLLOUT_DAYS * DAY_MS;
  for (;;) {
    state.progress = await records.rolloutProgress(version);
    const { waiting } = state.progress;
    show({
      state: `Verifies all agents by rubric ${version}: ${waiting} wait`,
      untilMs: endsAtMs,
      then: 'the last run has been requested',
    });
    if (waiting === 0) break;
    state.asked += await records.askAgents(version, askInTurn(waiting, endsAtMs - Date.now()));
    await sleep(ROLLOUT_TICK_MS);
    if (workflowInfo().historyLength > MAX_HISTORY_EVENTS)
      await continueAsNew<typeof rubricRollout>({
        ...input,
        effectiveAtMs,
        asked: state.asked,
      });
  }
  await records.finishRollout(version, new Date().toISOString());
  state.phase = 'done';
  show({ state: `Every agent was verified by rubric ${version}` });
  return state.phase;
}
