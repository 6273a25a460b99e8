/**
 * One slash of a bond (specification, "Bond slashing"). The amount has left the bond before this workflow starts. The
 * developer has a window for a counter-argument; without one, the slash becomes final. A contested slash waits for an
 * operator. If the slash is final and the bond is below its tier's minimum, the developer has a second window to top it
 * up; after that, the agents are removed from search. A window ends when this workflow records its end; no other code
 * compares a deadline with a clock.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { BondActivities } from '../activities/bonds';
import { CASE_MOVED_ON } from '../domain/disputes/case-moves';
import {
  isSlashDecided,
  rulingProblem,
  type SlashCounter,
  type SlashInput,
  type SlashMoved,
  type SlashResult,
  type SlashRuling,
  type SlashState,
  type SlashStatus,
} from '../domain/bonds/slash';
import { isoMinute, timerSummary } from './details';
import { describeSlash, type SlashAnswer, showSlash } from './slash-details';

export const counterUpdate = defineUpdate<SlashStatus, [SlashCounter]>('counter');
export const resolveUpdate = defineUpdate<SlashStatus, [SlashRuling]>('resolve');
export const stateQuery = defineQuery<SlashAnswer>('state');

/** Moves money, so it is retried until Postgres answers. */
const records = proxyActivities<BondActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

interface Move {
  to: SlashStatus;
  /** What happened and by whom, for the page of the workflow. */
  words: string;
}

const COUNTER: Move = { to: 'contested', words: 'contested by the developer' };
const SILENCE: Move = { to: 'final', words: 'final, because the developer did not contest it in time' };

export async function slashBond(input: SlashInput): Promise<SlashResult> {
  const { slashId, counterByMs } = input;
  const state: SlashState = { status: input.status, topUpByMs: input.topUpByMs, moving: false, counterByMs };
  const decided: string[] = [];
  showSlash(slashId, state, decided);

  /** Performs a move; `moving` blocks others meanwhile. `write` returns the new state of the slash. */
  async function move({ to, words }: Move, write: (asOf: string) => Promise<SlashMoved>) {
    state.moving = true;
    try {
      Object.assign(state, await write(now()));
      // The state differs if the slash was decided without this workflow.
      if (state.status === to) decided.push(`${isoMinute(Date.now())}: ${words}`);
      showSlash(slashId, state, decided);
    } finally {
      state.moving = false;
    }
    return state.status;
  }

  setHandler(stateQuery, () => describeSlash(slashId, state));
  setHandler(
    counterUpdate,
    ({ textId }) =>
      move(COUNTER, (asOf) =>
        records.recordCounter.executeWithOptions({ summary: `contest ${slashId}` }, [
          { slashId, textId, asOf },
        ]),
      ),
    {
      validator: (_counter: SlashCounter) => {
        refuseWhen(state, state.status === 'applied' ? undefined : `the slash is ${state.status}`);
      },
    },
  );
  setHandler(
    resolveUpdate,
    (ruling) =>
      move(rulingMove(ruling), (asOf) =>
        records.recordSlashRuling.executeWithOptions({ summary: `${ruling.decision}: ${slashId}` }, [
          { slashId, ...ruling, asOf },
        ]),
      ),
    {
      validator: ({ decision }: SlashRuling) => {
        refuseWhen(state, rulingProblem(state.status, decision));
      },
    },
  );

  if (state.status === 'applied') {
    const timer = timerSummary('time for a counter-argument', counterByMs);
    const isOver = () => state.moving || state.status !== 'applied';
    await condition(isOver, Math.max(1, counterByMs - Date.now()), timer);
    // A counter-argument that arrives together with the end of the window has set `moving` by now, and counts.
    if (!state.moving && state.status === 'applied') {
      await move(SILENCE, (asOf) =>
        records.recordDeveloperSilent.executeWithOptions({ summary: `uncontested: ${slashId} is final` }, [
          { slashId, asOf },
        ]),
      );
    }
  }
  await condition(() => isSlashDecided(state.status));
  upsertSearchAttributes({ Outcome: [state.status] });
  const result = await topUpWindow(slashId, state, decided);
  await condition(allHandlersFinished);
  return result;
}

function rulingMove({ decision, operatorUserId }: SlashRuling): Move {
  const words = `${decision} by the operator \`${operatorUserId}\``;
  return { to: decision === 'upheld' ? 'final' : 'overturned', words };
}

/** Waits for the end of the top-up window. A top-up has effect at once; the amount of the bond at the end decides. */
async function topUpWindow(slashId: string, state: SlashState, decided: string[]): Promise<SlashResult> {
  const { status, topUpByMs } = state;
  if (status === 'overturned') return 'overturned';
  if (topUpByMs === null) return 'final';
  await sleep(Math.max(1, topUpByMs - Date.now()), timerSummary('time to top up the bond', topUpByMs));
  const outcome = await records.recordTopUpEnd.executeWithOptions(
    { summary: 'compare the bond with its tier' },
    [{ slashId, asOf: now() }],
  );
  showSlash(slashId, state, decided, outcome);
  return outcome === 'delisted' ? 'final_delisted' : 'final';
}

function now(): string {
  return new Date().toISOString();
}

function refuseWhen({ moving }: SlashState, problem: string | undefined): void {
  const why = moving ? 'the slash is being decided' : problem;
  if (why !== undefined) throw ApplicationFailure.nonRetryable(why, CASE_MOVED_ON);
}
