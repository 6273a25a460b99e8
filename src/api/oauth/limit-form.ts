/** The limits of a grant on the consent page: the fields of the form, and what a person wrote into them. */
import {
  CAP_WINDOWS,
  foreignPins,
  type GrantLimits,
  MAX_CAP_CREDITS,
  MOST_LISTED_AGENTS,
  MOST_PINNED_AGENTS,
  NO_LIMITS as NO_KEY_LIMITS,
} from '../../domain/accounts/oauth-grant';
import { type Html, markup } from './html';

const FIELDS = [
  'credit_cap',
  'credit_cap_window',
  'call_cap',
  'min_trust_score',
  'agents',
  'pinned_agents',
] as const;
/** What is in the fields, as text. */
export type LimitTexts = Partial<Record<(typeof FIELDS)[number], string>>;

type Form = Readonly<Record<string, string>>;

/** Longer texts are not shown again. */
const MOST_SHOWN = 4_000;
const AGENT_ID = /^agt_[a-z0-9_]{1,86}_v[0-9]{1,6}$/;
export const NO_LIMITS: GrantLimits = { ...NO_KEY_LIMITS, pinnedAgents: null };

export const textsOf = (form: Form): LimitTexts =>
  Object.fromEntries(FIELDS.map((field) => [field, form[field]?.slice(0, MOST_SHOWN) ?? '']));

const WINDOW_WORDS = { day: 'a day', week: 'a week', month: 'a month', lifetime: 'in total' } as const;
const SUGGESTED_WINDOW = 'week';

/** The fields for the limits of a grant for the market. */
export function limitFields(given: LimitTexts): Html {
  const { credit_cap: cap = '', call_cap: call = '', min_trust_score: trust = '', agents = '' } = given;
  const { pinned_agents: pinned = '' } = given;
  const chosen = given.credit_cap_window ?? SUGGESTED_WINDOW;
  const windows = (['day', 'week', 'month', 'lifetime'] as const).map((value) =>
    value === chosen
      ? markup`<option value="${value}" selected>${WINDOW_WORDS[value]}</option>`
      : markup`<option value="${value}">${WINDOW_WORDS[value]}</option>`,
  );
  return markup`
<label for="credit_cap">Budget in credits</label>
<input id="credit_cap" name="credit_cap" inputmode="numeric" pattern="[0-9]*" maxlength="10" value="${cap}" aria-describedby="cap_note">
<label for="credit_cap_window">The budget is for</label>
<select id="credit_cap_window" name="credit_cap_window">${windows}</select>
<p id="cap_note" class="note">A call that could exceed the budget is refused. Days, weeks and months begin in the time zone of your account. Leave the budget empty for none.</p>
<label for="call_cap">Most credits for one call</label>
<input id="call_cap" name="call_cap" inputmode="numeric" pattern="[0-9]*" maxlength="10" value="${call}">
<label for="min_trust_score">Lowest trust score of an agent, 0 to 100</label>
<input id="min_trust_score" name="min_trust_score" inputmode="numeric" pattern="[0-9]*" maxlength="3" value="${trust}">
<label for="agents">Only these agents (ids, with spaces between them)</label>
<input id="agents" name="agents" value="${agents}" aria-describedby="agents_note">
<p id="agents_note" class="note">Leave a field empty for no limit.</p>
<label for="pinned_agents">Pinned agents: each is a tool of its own (ids, with spaces between them)</label>
<input id="pinned_agents" name="pinned_agents" value="${pinned}" aria-describedby="pinned_note">
<p id="pinned_note" class="note">For agents that the application uses often. It finds and calls the others by search.</p>`;
}

/** Reads the fields. A grant for one agent has a cap over its lifetime only. */
export function readLimits(form: Form, isMarket: boolean): GrantLimits | { problem: string } {
  const creditCap = wholeNumber(form['credit_cap'], MAX_CAP_CREDITS);
  if (creditCap === undefined)
    return { problem: `The spending cap must be a whole number of credits up to ${MAX_CAP_CREDITS}.` };
  if (!isMarket) return { ...NO_LIMITS, creditCap };
  const capWindow = CAP_WINDOWS.find((each) => each === (form['credit_cap_window'] ?? SUGGESTED_WINDOW));
  const callCap = wholeNumber(form['call_cap'], MAX_CAP_CREDITS);
  const leastTrust = wholeNumber(form['min_trust_score'], 100);
  const onlyAgents = agentIds(form['agents'], MOST_LISTED_AGENTS);
  const pinnedAgents = agentIds(form['pinned_agents'], MOST_PINNED_AGENTS);
  if (!capWindow) return { problem: 'The budget must be for a day, a week, a month, or in total.' };
  if (callCap === undefined)
    return { problem: `The most for one call must be a whole number of credits up to ${MAX_CAP_CREDITS}.` };
  if (leastTrust === undefined)
    return { problem: 'The lowest trust score must be a whole number from 0 to 100.' };
  if (onlyAgents === undefined || pinnedAgents === undefined)
    return { problem: `Name at most ${MOST_LISTED_AGENTS} agents by their ids, such as agt_pdf_parser_v1.` };
  const [foreign] = foreignPins({ onlyAgents, pinnedAgents });
  if (foreign !== undefined)
    return { problem: `The pinned agent ${foreign} must be among the agents that may be called.` };
  return { creditCap, capWindow, callCap, leastTrust, onlyAgents, pinnedAgents };
}

/** The ids in a text; null for none, undefined for too many or for a word that is no id. */
function agentIds(text = '', most: number): string[] | null | undefined {
  const named = [...new Set(text.split(/[\s,]+/).filter((id) => id !== ''))];
  if (named.length > most || !named.every((id) => AGENT_ID.test(id))) return undefined;
  return named.length === 0 ? null : named;
}

/** A number; null for an empty text, undefined for one that is no whole number up to the maximum. */
function wholeNumber(text = '', maximum: number): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  if (!/^\d{1,10}$/.test(digits) || Number(digits) > maximum) return undefined;
  return Number(digits);
}
