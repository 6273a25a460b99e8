/** Asks the chain what became of a payment. The facilitator's answers are hints only (ADR 0046, ADR 0309). */
import { EgressError } from '../../egress/egress-error';
import type { X402Rail } from './x402-rail';

export interface LookedAt {
  asset: string;
  payer: string;
  payTo: string;
  nonce: string;
  amountMinor: number;
  fromBlock: number;
}

/**
 * `unused`: `time` is that of a block deep enough to be final, in seconds; no later block can use an authorization that
 * ended before it. `young`: used, but not deep enough. `elsewhere`: canceled, or used for another transfer.
 */
export type Sight =
  | { kind: 'unused'; time: number }
  | { kind: 'young' }
  | { kind: 'settled'; txHash: string }
  | { kind: 'elsewhere'; txHash: string };

/** Throws `EgressError` when the node does not answer. */
export async function lookAt(
  { chain, confirmations }: Pick<X402Rail, 'chain' | 'confirmations'>,
  payment: LookedAt,
): Promise<Sight> {
  const { asset, payer, nonce, fromBlock, payTo, amountMinor } = payment;
  const head = await chain.block();
  if (!(await chain.isUsed(asset, payer, nonce, head.number))) {
    const final = await chain.block(Math.max(head.number - confirmations + 1, 0));
    return { kind: 'unused', time: final.time };
  }
  const use = await chain.findUse(asset, payer, nonce, { first: fromBlock, last: head.number });
  if (!use) throw new EgressError('bad_response', 'the node does not have the log of a used authorization');
  if (head.number - use.block + 1 < confirmations) return { kind: 'young' };
  const txHash = use.transaction;
  const moved = { asset, from: payer, to: payTo, value: String(amountMinor) };
  const isOurs = use.kind === 'used' && (await chain.hasMoved(txHash, moved));
  return { kind: isOurs ? 'settled' : 'elsewhere', txHash };
}
