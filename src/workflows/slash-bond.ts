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
import { show, timerSummary } from './details';

export const counterUpdate = defineUpdate<SlashStatus, [SlashCounter]>('counter');
export const resolveUpdate = defineUpdate<SlashStatus, [SlashRuling]>('resolve');
export const stateQuery = defineQuery<SlashState>('state');

/** Moves money, so it is retried until Postgres answers. */
const records = proxyActivities<BondActivities>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});

export async function slashBond(input: SlashInput): Promise<SlashResult> {
  const { slashId, counterByMs } = input;
  const state: SlashState = { status: input.status, topUpByMs: input.topUpByMs, moving: false, counterByMs };
  showSlash(slashId, state);

  /** Performs a move; `moving` blocks others meanwhile. `write` returns the new state of the slash. */
  async function move(write: (asOf: string) => Promise<SlashMoved>): Promise<SlashStatus> {
    state.moving = true;
    try {
      Object.assign(state, await write(now()));
      showSlash(slashId, state);
    } finally {
      state.moving = false;
    }
    return state.status;
  }

  setHandler(stateQuery, () => state);
  setHandler(
    counterUpdate,
    ({ textId }) => move((asOf) => records.recordCounter({ slashId, textId, asOf })),
    {
      validator: (_counter: SlashCounter) => {
        refuseWhen(state, state.status === 'applied' ? undefined : `the slash is ${state.status}`);
      },
    },
  );
  setHandler(
    resolveUpdate,
    (ruling) => move((asOf) => records.recordSlashRuling({ slashId, ...ruling, asOf })),
    {
      validator: ({ decision }: SlashRuling) => {
        refuseWhen(state, rulingProblem(state.status, decision));
      },
    },
  );

  if (state.status === 'applied') {
    await condition(
      () => state.moving || state.status !== 'applied',
      Math.max(1, counterByMs - Date.now()),
      timerSummary('time for a counter-argument', counterByMs),
    );
    // A counter-argument that arrives together with the end of the window has set `moving` by now, and counts.
    if (!state.moving && state.status === 'applied') {
      await move((asOf) => records.recordDeveloperSilent({ slashId, asOf }));
    }
  }
  await condition(() => isSlashDecided(state.status));
  upsertSearchAttributes({ Outcome: [state.status] });
  const result = await topUpWindow(slashId, state);
  await condition(allHandlersFinished);
  return result;
}

/** Waits for the end of the top-up window. A top-up ends the shortfall by itself; the bond at the end decides. */
async function topUpWindow(slashId: string, { status, topUpByMs }: SlashMoved): Promise<SlashResult> {
  if (status === 'overturned') return 'overturned';
  if (topUpByMs === null) return 'final';
  await sleep(Math.max(1, topUpByMs - Date.now()), timerSummary('time to top up the bond', topUpByMs));
  const outcome = await records.recordTopUpEnd({ slashId, asOf: now() });
  const isDelisted = outcome === 'delisted';
  show({
    state: isDelisted
      ? 'Final: the bond stayed below the minimum of its tier, so the agents left search'
      : 'Final: the bond was topped up in time',
    api: [`GET /v1/operator/slashes/${slashId}`],
  });
  return isDelisted ? 'final_delisted' : 'final';
}

/** What an operator on call needs to know about the slash in its state. */
function showSlash(slashId: string, { status, counterByMs, topUpByMs }: SlashState): void {
  const overturn = `\`market slashes resolve ${slashId} overturned --reason …\` returns the credits to the bond`;
  const uphold = `\`market slashes resolve ${slashId} upheld --reason …\` makes it final and refunds the buyers`;
  const held = `bond → slash hold, \`slash/${slashId}/apply\``;
  const api = [`GET /v1/operator/slashes/${slashId}`];
  if (status === 'applied') {
    return show({
      state: 'Waits for the developer, who may contest the slash',
      untilMs: counterByMs,
      then: 'the slash is final, and the credits in the slash hold refund the buyers',
      credits: [held],
      operator: [overturn],
      api,
    });
  }
  if (status === 'contested') {
    return show({
      state: 'Contested: waits for the decision of an operator, without a deadline',
      credits: [held],
      operator: [uphold, overturn],
      api,
    });
  }
  if (status === 'overturned') {
    const credits = [held, `slash hold → bond, \`slash/${slashId}/return\``];
    return show({ state: 'Overturned: the credits are back in the bond', credits, api });
  }
  show({
    state: topUpByMs === null ? 'Final' : 'Final: waits for the developer to top up the bond',
    untilMs: topUpByMs ?? undefined,
    then: topUpByMs === null ? undefined : "the developer's agents leave search if the bond is still too low",
    credits: [held, `slash hold → wallets of the buyers, \`slash/${slashId}/refund/<invocation>\``],
    api,
  });
}

function now(): string {
  return new Date().toISOString();
}

function refuseWhen({ moving }: SlashState, problem: string | undefined): void {
  const why = moving ? 'the slash is being decided' : problem;
  if (why !== undefined) throw ApplicationFailure.nonRetryable(why, CASE_MOVED_ON);
}
