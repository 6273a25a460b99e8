/**
 * Destinations of a developer's earnings while USDC payouts are enabled (specification, x402 rules; `payout_reserve`).
 */
import { mondayOf } from '../../domain/payouts/payout';
import type { PayoutDestination } from '../../domain/payouts/transfer';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import type { DbPool } from '../../stores/db';
import { listPricedInUsd } from '../../stores/payouts/payout-transfers';

const WEEK_MS = 7 * 86_400_000;
const beginOfWeek = (monday: Date) => new Date(monday.getTime() - WEEK_MS);

/** The first Monday that pays to an address that is set at `at`: the one whose week begins after it. */
export function firstMondayOf(at: Date): Date {
  return new Date(mondayOf(at.getTime()) + 2 * WEEK_MS);
}

/** A single destination: the developer's default method. */
export const OWN_METHOD: PayoutDestination = { payTo: '', agents: [], addresses: [] };

/**
 * Returns the default method for earnings without an address, then each address that serving USD-priced agents named
 * when the week of the Monday `asOf` began, with these agents. So a new address is not used for the week in which it
 * was set, and its developer has had the mail about it for a week or more (ADR 0191). Earnings of an agent that went
 * live with its address since then wait for a later Monday: they belong to no destination of this one (ADR 0213).
 */
export async function destinationsOf(
  pool: DbPool,
  developerUserId: string,
  asOf: Date,
): Promise<PayoutDestination[]> {
  const byAddress = new Map<string, string[]>();
  const waiting: string[] = [];
  const priced = await listPricedInUsd(pool, developerUserId, beginOfWeek(asOf));
  // Those of before first: an agent that is new joins an address that has been in use.
  for (const { agentId, manifest, isLater } of priced.sort((a, b) => Number(a.isLater) - Number(b.isLater))) {
    const { x402 } = JSON.parse(manifest) as { x402?: { pay_to?: string } };
    const payTo = checksummedAddress(x402?.pay_to ?? '');
    if (payTo === undefined) continue;
    const agents = byAddress.get(payTo) ?? [];
    if (isLater && agents.length === 0) waiting.push(agentId);
    else byAddress.set(payTo, [...agents, agentId]);
  }
  const addresses = [...byAddress.keys()].sort();
  const agents = [...byAddress.values(), waiting].flat();
  return [
    { payTo: '', agents, addresses },
    ...addresses.map((payTo) => ({ payTo, agents: byAddress.get(payTo) ?? [], addresses })),
  ];
}
