/** The slash of the history: an operator upheld it, and a deposit made the bond good. */
import { creditsToUnits } from '../../../domain/ledger/money';
import { newTraceId } from '../../../kit/ids/ids';
import { sha256Hex } from '../../../kit/json/canonical-json';
import { counterSlash, insertSlashText, orderSlash, resolveSlash } from '../../../stores/bonds/slashes';
import { type CaseContext, DAY_MS, HOUR_MS, type Moment } from './moment';
import type { Past } from './past';
import type { PastCall } from './past-calls';
import { deposit, topUpInThePast } from './past-money';
import { pastId } from './random';

const SLASHED_CALLS = 3;
/** The first and the last day of the calls. */
const SLASHED_DAYS = [23, 20] as const;
/** Days before today of each step of the slash. */
const SLASH_STEPS = { applied: 19, answered: 17, upheld: 14, filled: 12 };

/** The calls that the slash refunds. */
export function slashedCalls(calls: readonly PastCall[]): PastCall[] {
  return calls
    .filter(
      ({ day, slug, person, failure }) =>
        day <= SLASHED_DAYS[0] &&
        day >= SLASHED_DAYS[1] &&
        slug === 'csv-profiler' &&
        person === 'team' &&
        failure === null,
    )
    .slice(0, SLASHED_CALLS);
}

/** A slash over calls of four days, which the developer answers, an operator upholds, and a deposit makes good. */
export function slashMoments(context: CaseContext, calls: readonly PastCall[], todayMs: number): Moment[] {
  const slashed = slashedCalls(calls);
  const credits = slashed.reduce((sum, call) => sum + call.credits, 0);
  if (credits === 0) return [];
  const { users } = context;
  const on = (day: number) => todayMs - day * DAY_MS + 10 * HOUR_MS;
  const slashId = pastId('slh', on(SLASH_STEPS.applied));
  return [
    {
      atMs: on(SLASH_STEPS.applied),
      run: (past) => applySlash(past, context, { slashed, credits, slashId, atMs: on(SLASH_STEPS.applied) }),
    },
    {
      atMs: on(SLASH_STEPS.answered),
      async run({ pool }) {
        const atMs = on(SLASH_STEPS.answered);
        const textId = pastId('slt', atMs);
        const body = 'A cache returned profiles of earlier files. It is switched off, and a test guards it.';
        await insertSlashText(pool, { textId, slashId, authorUserId: users.developer, body, evidence: {} });
        await counterSlash(pool, slashId, textId, new Date(atMs));
      },
    },
    {
      atMs: on(SLASH_STEPS.upheld),
      async run({ pool }) {
        const atMs = on(SLASH_STEPS.upheld);
        const textId = pastId('slt', atMs);
        const body =
          'Calls of one buyer returned profiles of other files. The fault is corrected, and the calls are refunded.';
        await insertSlashText(pool, { textId, slashId, authorUserId: users.operator, body });
        const ruling = {
          decision: 'upheld',
          textId,
          operatorUserId: users.operator,
          asOf: new Date(atMs),
        } as const;
        await resolveSlash(pool, slashId, ruling);
      },
    },
    {
      atMs: on(SLASH_STEPS.filled),
      async run(past) {
        const atMs = on(SLASH_STEPS.filled);
        const topup = {
          userId: users.developer,
          credits,
          currency: 'USD',
          key: 'demonstration/bond',
        } as const;
        await topUpInThePast(past, atMs, topup);
        await deposit(past, atMs, users.developer, credits);
      },
    },
  ];
}

async function applySlash(
  { pool }: Past,
  { users, agents, counterWindowMs, topUpWindowMs }: CaseContext,
  slash: { slashed: readonly PastCall[]; credits: number; slashId: string; atMs: number },
): Promise<void> {
  const { outcome } = await orderSlash(pool, {
    slashId: slash.slashId,
    idempotencyKey: null,
    requestSha256: sha256Hex(slash.slashId),
    operatorUserId: users.operator,
    agentId: agents.get('csv-profiler')?.agentId ?? '',
    units: creditsToUnits(slash.credits),
    refund: 'affected',
    explanation: 'The agent returned the same profile for different files.',
    evidence: { calls: slash.slashed.length, profile: 'penguins.csv' },
    invocationIds: slash.slashed.map(({ invocationId }) => invocationId),
    counterWindowMs,
    topUpWindowMs,
    traceId: newTraceId(),
    asOf: new Date(slash.atMs),
  });
  if (outcome !== 'applied') throw new Error(`the slash of the history is not applied: ${outcome}`);
}
