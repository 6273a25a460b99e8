/**
 * The case of one disputed call that had succeeded (contract, "Disputes"). The developer accepts or contests within a
 * window; no answer counts as acceptance. A contested case waits for an operator, or until the buyer accepts a part
 * of the charge that the developer offers; offers and declined ones leave it contested. The window ends when this
 * workflow records its end; no other code compares the deadline with a clock. Each move is one activity, which also
 * moves the money.
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
  DisputeOffer,
  DisputeResponse,
  DisputeRuling,
  OfferAnswer,
} from '../domain/disputes/dispute-case';
import { type DisputeStatus, isDecided } from '../domain/disputes/dispute-state';
import { isoMinute, timerSummary } from './details';
import {
  describeDispute,
  type DisputeAnswer,
  type Move,
  offerAnswerMove,
  offerMove,
  responseMove,
  rulingMove,
  SILENCE,
  showDispute,
} from './dispute-details';

export const respondUpdate = defineUpdate<DisputeStatus, [DisputeResponse]>('respond');
export const resolveUpdate = defineUpdate<DisputeStatus, [DisputeRuling]>('resolve');
export const offerUpdate = defineUpdate<DisputeStatus, [DisputeOffer]>('offer');
export const answerOfferUpdate = defineUpdate<DisputeStatus, [OfferAnswer]>('answer_offer');
export const stateQuery = defineQuery<DisputeAnswer>('state');

/** Moves money, so it is retried until Postgres answers. */
const records = proxyActivities<DisputeActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function disputeCase(input: DisputeCaseInput): Promise<DisputeStatus> {
  const { disputeId, respondByMs } = input;
  const state: DisputeCaseState = { status: input.status, moving: false, respondByMs };
  const decided: string[] = [];
  showDispute(input, state, decided);

  /** Performs a move; `moving` blocks others meanwhile. `write` returns the new status of the case. */
  async function move({ to, words, partUnits }: Move, write: (asOf: string) => Promise<DisputeStatus>) {
    state.moving = true;
    try {
      state.status = await write(new Date().toISOString());
      // The status differs if the case was decided without this workflow.
      if (state.status === to) decided.push(`${isoMinute(Date.now())}: ${words}`);
      if (state.status === to && partUnits !== undefined) state.partUnits = partUnits;
      showDispute(input, state, decided);
    } finally {
      state.moving = false;
    }
    return state.status;
  }

  setHandler(stateQuery, () => describeDispute(input, state));
  setHandler(
    respondUpdate,
    (response) =>
      move(responseMove(response), (asOf) =>
        records.recordResponse.executeWithOptions({ summary: `${response.decision}: ${disputeId}` }, [
          { disputeId, ...response, asOf },
        ]),
      ),
    { validator: (_response: DisputeResponse) => requireStatus(state, 'open') },
  );
  setHandler(
    resolveUpdate,
    (ruling) =>
      move(rulingMove(ruling), (asOf) =>
        records.recordRuling.executeWithOptions({ summary: `for the ${ruling.decision}: ${disputeId}` }, [
          { disputeId, ...ruling, asOf },
        ]),
      ),
    {
      validator: (_ruling: DisputeRuling) => requireStatus(state, 'contested'),
    },
  );
  handleOffers(disputeId, state, move);

  if (state.status === 'open') {
    await condition(
      () => state.moving || state.status !== 'open',
      Math.max(1, respondByMs - Date.now()),
      timerSummary("time for the developer's response", respondByMs),
    );
    // An answer that arrives together with the end of the window has set `moving` by now, and counts.
    if (!state.moving && state.status === 'open') {
      await move(SILENCE, (asOf) =>
        records.recordResponse.executeWithOptions({ summary: `no response: accept ${disputeId}` }, [
          { disputeId, decision: 'silence', textId: null, asOf },
        ]),
      );
    }
  }
  await condition(() => isDecided(state.status));
  upsertSearchAttributes({ Outcome: [state.status] });
  await condition(allHandlersFinished);
  return state.status;
}

/** Offers and their answers need a contested case. An accepted offer ends it. */
function handleOffers(
  disputeId: string,
  state: DisputeCaseState,
  move: (move: Move, write: (asOf: string) => Promise<DisputeStatus>) => Promise<DisputeStatus>,
): void {
  setHandler(
    offerUpdate,
    (offer) =>
      move(offerMove(offer), (asOf) =>
        records.recordOffer.executeWithOptions({ summary: `offer: ${disputeId}` }, [
          { disputeId, ...offer, asOf },
        ]),
      ),
    { validator: (_offer: DisputeOffer) => requireStatus(state, 'contested') },
  );
  setHandler(
    answerOfferUpdate,
    (answer) =>
      move(offerAnswerMove(answer), (asOf) =>
        records.recordOfferAnswer.executeWithOptions({ summary: `offer, ${answer.decision}: ${disputeId}` }, [
          { disputeId, ...answer, asOf },
        ]),
      ),
    { validator: (_answer: OfferAnswer) => requireStatus(state, 'contested') },
  );
}

function requireStatus(state: DisputeCaseState, status: DisputeStatus): void {
  if (state.status === status && !state.moving) return;
  throw ApplicationFailure.nonRetryable(`the case is ${state.status}`, CASE_MOVED_ON);
}
