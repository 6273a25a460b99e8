/**
 * Prices with notice (ADR 0259): a version that costs more than what its buyers pay charges the former price until the
 * notice of the operator has passed. Nothing has to run at that moment: the statement that accepts a call compares the
 * time.
 */
import { costsMore, isSamePrice } from '../../domain/prices/price-rise';
import { setServingVersion } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';
import {
  announceRise,
  hasPaidCalls,
  keepRise,
  readPrices,
  notifyOfRise,
} from '../../stores/prices/price-rises';

/** Buyers of a turn, and turns in a row. */
const BUYERS = 200;
const TURNS = 10;

/**
 * Makes a version serve its agent, under the agent's lock. A rise of the price waits for the notice if other accounts
 * have paid for calls of the agent within 30 days; a fall counts at once. The same price as one that is announced keeps
 * its day, and any other rise begins a notice of its own.
 */
export async function putInService(
  tx: Db,
  agentId: string,
  versionId: string,
  noticeMs: number,
): Promise<void> {
  const { version, serving } = await readPrices(tx, agentId, versionId);
  const charged = serving?.pending ?? serving?.own;
  if (charged && serving && costsMore(charged.pricing, version.own.pricing)) {
    if (serving.pending && isSamePrice(serving.own.pricing, version.own.pricing))
      await keepRise(tx, agentId, versionId);
    else if (noticeMs > 0 && (await hasPaidCalls(tx, agentId)))
      await announceRise(tx, { agentId, versionId }, charged, noticeMs);
  }
  await setServingVersion(tx, agentId, versionId);
}

export function createPriceNotices({ pool }: { pool: Db }) {
  return {
    /** Notifies buyers of announced rises. A loop of the worker calls it. */
    async send(): Promise<void> {
      for (let turns = 0; turns < TURNS; turns += 1) if ((await notifyOfRise(pool, BUYERS)) === null) return;
    },
  };
}
