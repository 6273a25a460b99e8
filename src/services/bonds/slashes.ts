/**
 * Slashes of bonds (specification, "Bond slashing"; contract, "Bonds and slashing"). The amount leaves the bond when an
 * operator applies one; the workflow `slash/<id>` leads it to its end through the records below. Each of them is one
 * SQL function call: status, money, refunds and notices move together or not at all.
 */
import { type FieldProblem, MarketError } from '../../domain/errors';
import {
  rulingProblem,
  type SlashCounter,
  type SlashDecision,
  type SlashInput,
  type SlashMoved,
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
  'slashId' | 'requestSha256' | 'counterWindowMs' | 'topUpWindowMs'
>;

/** What the workflow writes; `asOf` is the ISO time of its clock. */
export interface SlashEndRecord {
  slashId: string;
  asOf: string;
}
export type SlashCounterRecord = SlashEndRecord & SlashCounter;
export type SlashRulingRecord = SlashEndRecord & SlashRuling;

export interface SlashesDeps {
  pool: Db;
  /** How long a developer may answer, and how long top up: settings SLASH_COUNTER_WINDOW_MS, BOND_TOP_UP_WINDOW_MS. A slash keeps what it began with. */
  counterWindowMs: number;
  topUpWindowMs: number;
}

const SWEEP_LIMIT = 100;
/** A running slash is confirmed again so often: an engine that lost its state gets its workflows back. */
const CONFIRMED_FOR_MS = 3_600_000;

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
     * Takes the amount, at most the bond, into a slash hold. Throws `not_found` for an agent that is none,
     * `validation_failed` for calls that are not the agent's or of which nothing is left to refund, and `invalid_state`
     * when there is no bond. A repetition of the operator's key takes nothing; with another request it throws
     * `idempotency_key_reused`.
     */
    async apply(request: SlashRequest): Promise<{ slash: Slash; replayed: boolean }> {
      const { agentId, units, explanation, evidence, invocationIds } = request;
      const asked = { agentId, units, explanation, evidence, invocationIds: [...invocationIds] };
      const { outcome, unknown, made } = await store.orderSlash(pool, {
        ...request,
        requestSha256: sha256Hex(canonicalJson(asked)),
        slashId: newId('slh'),
        counterWindowMs,
        topUpWindowMs,
      });
      if (made === null || outcome === 'key_reused') throw refusalOf(outcome, invocationIds, unknown ?? []);
      return { slash: await existing(made), replayed: outcome === 'replayed' };
    },

    /** A slash as the developer reads it; 404 for everybody else. */
    get,
    read: existing,
    list: (filter: store.SlashFilter) => store.listSlashes(pool, filter),

    /** Checks that the developer may answer and keeps the words. Throws `not_found`, `invalid_state`. */
    async prepareCounter(userId: string, slashId: string, statement: string, evidence: unknown) {
      const slash = await get(userId, slashId);
      if (slash.status !== 'applied') throw tooLate(`the slash is ${slash.status}`);
      const textId = newId('slt');
      await store.insertSlashText(pool, { textId, slashId, authorUserId: userId, body: statement, evidence });
      return { slash, textId };
    },

    /** Checks that an operator may decide so and keeps the reason. Throws `not_found`, `invalid_state`. */
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

/** What the workflows write, each once: a repetition returns what was decided; and what the sweep reads. */
function createSlashRecords(pool: Db) {
  return {
    async recordCounter({ slashId, textId, asOf }: SlashCounterRecord): Promise<SlashMoved> {
      const status = await store.counterSlash(pool, slashId, textId, new Date(asOf));
      if (status !== 'final') return { status, topUpByMs: null };
      // Only when somebody has decided behind the back of the workflow.
      const slash = await store.readSlash(pool, slashId);
      return { status, topUpByMs: slash?.topUpBy?.getTime() ?? null };
    },
    recordSilence: ({ slashId, asOf }: SlashEndRecord): Promise<SlashMoved> =>
      store.resolveSlash(pool, slashId, {
        decision: 'silence',
        textId: null,
        operatorUserId: null,
        asOf: new Date(asOf),
      }),
    recordRuling: ({ slashId, asOf, ...ruling }: SlashRulingRecord): Promise<SlashMoved> =>
      store.resolveSlash(pool, slashId, { ...ruling, asOf: new Date(asOf) }),
    recordTopUpEnd: ({ slashId, asOf }: SlashEndRecord): Promise<TopUpOutcome> =>
      store.endTopUp(pool, slashId, new Date(asOf)),

    /** Slashes whose workflow must be started or confirmed: applied while the engine was away, or long ago. */
    listUnconfirmed: () => store.listUnconfirmedSlashes(pool, SWEEP_LIMIT, CONFIRMED_FOR_MS),
    markStarted: (slashId: string) => store.markSlashStarted(pool, slashId),
  };
}

/** What the workflow of a slash starts with. */
export function slashInputOf({ slashId, status, counterBy, topUpBy }: Slash): SlashInput {
  return { slashId, status, counterByMs: counterBy.getTime(), topUpByMs: topUpBy?.getTime() ?? null };
}

function refusalOf(
  outcome: store.OrderOutcome,
  invocationIds: readonly string[],
  unknown: readonly string[],
): MarketError {
  if (outcome === 'key_reused')
    return new MarketError('idempotency_key_reused', {
      message: 'This idempotency key was used for another slash.',
    });
  if (outcome === 'no_agent') return new MarketError('not_found');
  if (outcome === 'no_bond') return new MarketError('invalid_state', { message: 'The bond is empty.' });
  const at = (loc: (string | number)[], msg: string, type: string): FieldProblem => ({
    loc: ['body', 'invocation_ids', ...loc],
    msg,
    type,
  });
  const detail =
    outcome === 'nothing_charged'
      ? [at([], 'nothing is left to refund of these calls', 'nothing_charged')]
      : unknown.map((id) => at([invocationIds.indexOf(id)], 'is not a call of this agent', 'unknown_call'));
  return new MarketError('validation_failed', { detail });
}

function tooLate(problem: string): MarketError {
  return new MarketError('invalid_state', { message: `Not now: ${problem}.` });
}
