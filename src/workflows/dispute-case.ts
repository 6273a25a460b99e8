/**
 * The case of one disputed call that had succeeded (contract, "Disputes"). The developer accepts or contests within a
 * window; no answer counts as acceptance. A contested case waits for an operator. The window ends when this workflow
 * records its end; no other code compares the deadline with a clock. Each move is one activity, which also moves the
 * money.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { DisputeActivities } from '../activities/disputes';
import { CASE_MOVED_ON } from '../domain/disputes/case-moves';
import type {
  DisputeCaseInput,
  DisputeCaseState,
  DisputeResponse,
  DisputeRuling,
} from '../domain/disputes/dispute-case';
import { type DisputeStatus, isDecided } from '../domain/disputes/dispute-state';
import { show, timerSummary } from './details';

export const respondUpdate = defineUpdate<DisputeStatus, [DisputeResponse]>('respond');
export const resolveUpdate = defineUpdate<DisputeStatus, [DisputeRuling]>('resolve');
export const stateQuery = defineQuery<DisputeCaseState>('state');

/** Moves money, so it is retried until Postgres answers. */
const records = proxyActivities<DisputeActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function disputeCase(input: DisputeCaseInput): Promise<DisputeStatus> {
  const { disputeId, respondByMs } = input;
  const state: DisputeCaseState = { status: input.status, moving: false, respondByMs };
  showDispute(disputeId, state);

  /** Performs a move; `moving` blocks others meanwhile. `write` returns the new status of the case. */
  async function move(write: (asOf: string) => Promise<DisputeStatus>): Promise<DisputeStatus> {
    state.moving = true;
    try {
      state.status = await write(new Date().toISOString());
      showDispute(disputeId, state);
    } finally {
      state.moving = false;
    }
    return state.status;
  }

  setHandler(stateQuery, () => state);
  setHandler(
    respondUpdate,
    (response) => move((asOf) => records.recordResponse({ disputeId, ...response, asOf })),
    { validator: (_response: DisputeResponse) => requireStatus(state, 'open') },
  );
  setHandler(
    resolveUpdate,
    (ruling) => move((asOf) => records.recordRuling({ disputeId, ...ruling, asOf })),
    {
      validator: (_ruling: DisputeRuling) => requireStatus(state, 'contested'),
    },
  );

  if (state.status === 'open') {
    await condition(
      () => state.moving || state.status !== 'open',
      Math.max(1, respondByMs - Date.now()),
      timerSummary("time for the developer's response", respondByMs),
    );
    // An answer that arrives together with the end of the window has set `moving` by now, and counts.
    if (!state.moving && state.status === 'open') {
      await move((asOf) => records.recordResponse({ disputeId, decision: 'silence', textId: null, asOf }));
    }
  }
  await condition(() => isDecided(state.status));
  upsertSearchAttributes({ Outcome: [state.status] });
  await condition(allHandlersFinished);
  return state.status;
}

/** What an operator on call needs to know about the dispute in its state. */
function showDispute(disputeId: string, { status, respondByMs }: DisputeCaseState): void {
  const api = [`GET /v1/operator/disputes/${disputeId}`];
  if (status === 'open') {
    return show({
      state: 'Waits for the response of the developer, who may accept or contest',
      untilMs: respondByMs,
      then: 'silence counts as acceptance, and the buyer is refunded',
      api,
    });
  }
  if (status === 'contested') {
    return show({
      state: 'Contested: waits for the decision of an operator, without a deadline',
      operator: [
        `\`market disputes resolve ${disputeId} buyer --reason …\` refunds the buyer`,
        `\`market disputes resolve ${disputeId} developer --reason …\` leaves the charge as it is`,
      ],
      api,
    });
  }
  show({ state: DECIDED[status], api });
}

const DECIDED = {
  accepted: 'Accepted: the buyer is refunded',
  won: 'Decided for the buyer, who is refunded',
  lost: 'Decided for the developer: the charge stays',
} as const satisfies Record<Exclude<DisputeStatus, 'open' | 'contested'>, string>;

function requireStatus(state: DisputeCaseState, status: DisputeStatus): void {
  if (state.status === status && !state.moving) return;
  throw ApplicationFailure.nonRetryable(`the case is ${state.status}`, CASE_MOVED_ON);
}
