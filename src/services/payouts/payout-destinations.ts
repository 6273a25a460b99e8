/**
 * Destinations of a developer's earnings while USDC payouts are enabled (specification, x402 rules; `payout_reserve`).
 */
import type { PayoutDestination } from '../../domain/payouts/transfer';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import type { DbPool } from '../../stores/db';
import { listPricedInUsd } from '../../stores/payouts/payout-transfers';

const WEEK_MS = 7 * 86_400_000;
const beginOfWeek = (monday: Date) => new Date(monday.getTime() - WEEK_MS);

/** A single destination: the developer's default method. */
export const OWN_METHOD: PayoutDestination = { payTo: '', agents: [], addresses: [] };

/**
 * Returns the default method for earnings without an address, then each address that serving USD-priced agents named
 * when the week of the Monday `asOf` began, with these agents. So a new address is not used for the week in which it was
 * set, and its developer has had the mail about it for a week or more (ADR 0191).
 */
export async function destinationsOf(
  pool: DbPool,
  developerUserId: string,
  asOf: Date,
): Promise<PayoutDestination[]> {
  const byAddress = new Map<string, string[]>();
  for (const { agentId, manifest } of await listPricedInUsd(pool, developerUserId, beginOfWeek(asOf))) {
    const { x402 } = JSON.parse(manifest) as { x402?: { pay_to?: string } };
    const payTo = checksummedAddress(x402?.pay_to ?? '');
    if (payTo !== undefined) byAddress.set(payTo, [...(byAddress.get(payTo) ?? []), agentId]);
  }
  const addresses = [...byAddress.keys()].sort();
  const agents = [...byAddress.values()].flat();
  return [
    { payTo: '', agents, addresses },
    ...addresses.map((payTo) => ({ payTo, agents: byAddress.get(payTo) ?? [], addresses })),
  ];
}
