/**
 * Slashes of bonds (specification, "Bond slashing"; contract, "Bonds and slashing"). When an operator applies a slash,
 * the amount leaves the bond. The workflow `slash/<id>` then moves it through the records below. Each record is one SQL
 * function call: status, money, refunds and notices change together or not at all. A developer has seven days to
 * answer, and fourteen days to top up a bond that a slash left below its tier's minimum.
 */
import { type FieldProblem, MarketError } from '../../domain/errors';
import {
  rulingProblem,
  type SlashCounter,
  type SlashDecision,
  type SlashInput,
  type SlashMoved,
  type SlashRefund,
  type SlashRuling,
  type TopUpOutcome,
} from '../../domain/bonds/slash';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import type { Db } from '../../stores/db';
import * as store from '../../stores/bonds/slashes';

export type Slash = store.SlashRow;

export type SlashRequest = Omit<
  store.NewSlash,
  'slashId' | 'requestSha256' | 'counterWindowMs' | 'topUpWindowMs' | 'refund'
> & { refund?: SlashRefund | undefined };

/** Records of the workflow. `asOf` is the ISO 8601 time of its clock. */
export interface SlashEndRecord {
  slashId: string;
  asOf: string;
}
export type SlashCounterRecord = SlashEndRecord & SlashCounter;
export type SlashRulingRecord = SlashEndRecord & SlashRuling;

export interface SlashesDeps {
  pool: Db;
  /**
   * Windows for the developer's answer and for topping up, in ms (SLASH_COUNTER_WINDOW_MS, BOND_TOP_UP_WINDOW_MS of
   * `src/config.ts`). A slash keeps the windows with which it began.
   */
  counterWindowMs: number;
  topUpWindowMs: number;
}

const SWEEP_LIMIT = 100;
/**
 * A workflow that was confirmed longer ago may be lost. The sweep runs each 15 s and takes the oldest, so it confirms
 * 300 open cases within 45 s; with more of them, the turn of each comes later, and the load on Temporal stays the same.
 */
const CONFIRMED_FOR_MS = 30_000;

export function createSlashes({ pool, counterWindowMs, topUpWindowMs }: SlashesDeps) {
  async function existing(slashId: string): Promise<Slash> {
    const slash = await store.readSlash(pool, slashId);
    if (!slash) throw new MarketError('not_found');
    return slash;
  }

  async function get(developerUserId: string, slashId: string): Promise<Slash> {
    const slash = await existing(slashId);
    if (slash.developerUserId !== developerUserId) throw new MarketError('not_found');
    return slash;
  }

  return {
    /**
     * Moves the amount into a slash hold: at most the bond and, if buyers are refunded, what is left of the calls'
     * charges. Throws `not_found` for an unknown agent,
     * `validation_failed` for calls that are not of this agent or have nothing left to refund, `invalid_state` if there
     * is no bond. Repeating the operator's key takes nothing; with a different request it throws
     * `idempotency_key_reused`.
     */
    async apply(request: SlashRequest): Promise<{ slash: Slash; replayed: boolean }> {
      const { agentId, units, refund = 'affected', explanation, evidence, invocationIds } = request;
      const about = { agentId, units, explanation, evidence, invocationIds: [...invocationIds] };
      // Without the default, so that the hash of an order is the one that earlier releases made.
      const asked = refund === 'affected' ? about : { ...about, refund };
      const { outcome, unknown, made } = await store.orderSlash(pool, {
        ...request,
        refund,
        requestSha256: sha256Hex(canonicalJson(asked)),
        slashId: newId('slh'),
        counterWindowMs,
        topUpWindowMs,
      });
      if (made === null || outcome === 'key_reused') throw refusalOf(outcome, invocationIds, unknown ?? []);
      return { slash: await existing(made), replayed: outcome === 'replayed' };
    },

    /** A slash as shown to its developer. Throws `not_found` for all others. */
    get,
    read: existing,
    list: (filter: store.SlashFilter) => store.listSlashes(pool, filter),

    /** Checks that the developer may answer and stores the statement. Throws `not_found`, `invalid_state`. */
    async prepareCounter(userId: string, slashId: string, statement: string, evidence: unknown) {
      const slash = await get(userId, slashId);
      if (slash.status !== 'applied') throw tooLate(`the slash is ${slash.status}`);
      const textId = newId('slt');
      await store.insertSlashText(pool, { textId, slashId, authorUserId: userId, body: statement, evidence });
      return { slash, textId };
    },

    /** Checks that the decision is allowed and stores the operator's reason. Throws `not_found`, `invalid_state`. */
    async prepareRuling(userId: string, slashId: string, decision: SlashDecision, reason: string) {
      const slash = await existing(slashId);
      const problem = rulingProblem(slash.status, decision);
      if (problem !== undefined) throw tooLate(problem);
      const textId = newId('slt');
      await store.insertSlashText(pool, { textId, slashId, authorUserId: userId, body: reason });
      return { slash, textId };
    },

    ...createSlashRecords(pool),
  };
}

export type Slashes = ReturnType<typeof createSlashes>;

/** The records of the workflows (idempotent: a repeated call returns the recorded decision) and of the sweep. */
function createSlashRecords(pool: Db) {
  return {
    async recordCounter({ slashId, textId, asOf }: SlashCounterRecord): Promise<SlashMoved> {
      const status = await store.counterSlash(pool, slashId, textId, new Date(asOf));
      if (status !== 'final') return { status, topUpByMs: null };
      // Only if the slash was decided without its workflow.
      const slash = await store.readSlash(pool, slashId);
      return { status, topUpByMs: slash?.topUpBy?.getTime() ?? null };
    },
    recordDeveloperSilent: ({ slashId, asOf }: SlashEndRecord): Promise<SlashMoved> =>
      store.resolveSlash(pool, slashId, {
        decision: 'developer_silent',
        textId: null,
        operatorUserId: null,
        asOf: new Date(asOf),
      }),
    recordRuling: ({ slashId, asOf, ...ruling }: SlashRulingRecord): Promise<SlashMoved> =>
      store.resolveSlash(pool, slashId, { ...ruling, asOf: new Date(asOf) }),
    recordTopUpEnd: ({ slashId, asOf }: SlashEndRecord): Promise<TopUpOutcome> =>
      store.endTopUp(pool, slashId, new Date(asOf)),

    /** Takes slashes whose workflow must be started or confirmed: it never started, or was last confirmed long ago. */
    async claimUnconfirmed(): Promise<Slash[]> {
      const ids = await store.claimUnconfirmedSlashes(pool, SWEEP_LIMIT, CONFIRMED_FOR_MS);
      const slashes = await Promise.all(ids.map((slashId) => store.readSlash(pool, slashId)));
      return slashes.filter((slash) => slash !== undefined);
    },
    markStarted: (slashId: string) => store.markSlashStarted(pool, slashId),
  };
}

/** The input of the workflow of a slash. */
export function slashInputOf({ slashId, status, counterBy, topUpBy }: Slash): SlashInput {
  return {
    slashId,
    status,
    counterByMs: counterBy.getTime(),
    counterBy: counterBy.toISOString(),
    topUpByMs: topUpBy?.getTime() ?? null,
    topUpBy: topUpBy?.toISOString() ?? null,
  };
}

const NOTHING_TO_REFUND =
  'these calls have nothing left to refund; with `refund: none` the platform keeps the amount as a penalty';

function refusalOf(
  outcome: store.OrderOutcome,
  invocationIds: readonly string[],
  unknown: readonly string[],
): MarketError {
  if (outcome === 'key_reused')
    return new MarketError('idempotency_key_reused', {
      message: 'This idempotency key was used for another slash. Use a new key.',
    });
  if (outcome === 'no_agent') return new MarketError('not_found');
  if (outcome === 'no_bond')
    return new MarketError('invalid_state', { message: 'The bond is empty: nothing can be taken from it.' });
  const at = (loc: (string | number)[], msg: string, type: string): FieldProblem => ({
    loc: ['body', 'invocation_ids', ...loc],
    msg,
    type,
  });
  const detail =
    outcome === 'nothing_charged'
      ? [at([], NOTHING_TO_REFUND, 'nothing_charged')]
      : unknown.map((id) => at([invocationIds.indexOf(id)], 'is not a call of this agent', 'unknown_call'));
  return new MarketError('validation_failed', { detail });
}

function tooLate(problem: string): MarketError {
  return new MarketError('invalid_state', { message: `Not possible now: ${problem}.` });
}
