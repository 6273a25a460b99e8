/** Shared by tests of metered calls: prices, the rows of a call, and the balance of its buyer. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Pricing } from '../../../src/domain/catalogue/manifest';
import { balance, putLive, type InvokeReply, type TestUser } from '../market';
import type { Scene } from '../scene';

export type Price = Omit<Pricing, 'free_tier_calls'>;

export function perToken(rate: string, most = 1_000): Price {
  return { model: 'per_token', credits_per_1k_tokens: rate, max_credits_per_call: most };
}

export function perSecond(rate: string, most = 1_000): Price {
  return { model: 'per_second', credits_per_second: rate, max_credits_per_call: most };
}

/** The library's own count of the JSON text, not the service's. */
export function tokensOf(value: unknown): number {
  return countTokens(JSON.stringify(value));
}

export const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];

/** Puts an agent live at the scene's server that takes and answers any object, for this price. */
export async function putPriced(
  { market, developer, agent }: Scene,
  pricing: Price,
  more: { freeTierCalls?: number; timeoutMs?: number } = {},
): Promise<string> {
  const anything = { type: 'object' };
  const options = { pricing, inputSchema: anything, outputSchema: anything, ...more };
  return (await putLive(market, developer.userId, agent.url, options)).agentId;
}

export async function moneyOf({ market }: Scene, buyer: TestUser) {
  return {
    wallet: await balance(market.owner, buyer.userId, 'wallet'),
    escrow: await balance(market.owner, buyer.userId, 'escrow'),
  };
}

/** The call's row, and how its money moved: entries of the buyer's wallet by type, in units. */
export async function behind({ market }: Scene, reply: InvokeReply) {
  const call = await market.owner.query<{ status: string; hold: string | null; charged: string | null }>(
    `SELECT i.status, h.amount_units AS hold, i.charged_units AS charged
       FROM invocations i LEFT JOIN holds h USING (invocation_id) WHERE invocation_id = $1`,
    [reply.body.invocation_id],
  );
  const moves = await market.owner.query<{ entry_type: string; amount: string; transaction_id: string }>(
    `SELECT e.entry_type, e.amount_units AS amount, e.transaction_id
       FROM entries e JOIN transactions t USING (transaction_id) JOIN accounts a USING (account_id)
      WHERE t.invocation_id = $1 AND a.kind = 'wallet' ORDER BY e.entry_id`,
    [reply.body.invocation_id],
  );
  const row = call.rows[0];
  return {
    status: row?.status,
    holdUnits: Number(row?.hold),
    chargedUnits: Number(row?.charged),
    moves: moves.rows.map(({ entry_type, amount }) => [entry_type, Number(amount)]),
    transactions: moves.rows.map(({ transaction_id }) => transaction_id),
  };
}

export async function callsOf({ market }: Scene, agentId: string): Promise<number> {
  const { rowCount } = await market.owner.query('SELECT FROM invocations WHERE agent_id = $1', [agentId]);
  return rowCount ?? -1;
}
