/** Where the earnings of a developer go while payouts in USDC are on (specification, x402 rules; migration 0961). */
import type { PayoutDestination } from '../../domain/payouts/transfer';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import type { DbPool } from '../../stores/db';
import { listPricedInUsd } from '../../stores/payouts/payout-transfers';

/** Everything by the developer's own method. */
export const OWN_METHOD: PayoutDestination = { payTo: '', agents: [], addresses: [] };

/**
 * The developer's own method for what no address takes, then each address that serving versions of agents with a price
 * in USD name now, with the agents that do: as with methods, what is named when a payout is reserved counts.
 */
export async function destinationsOf(pool: DbPool, developerUserId: string): Promise<PayoutDestination[]> {
  const byAddress = new Map<string, string[]>();
  for (const { agentId, manifest } of await listPricedInUsd(pool, developerUserId)) {
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
