/**
 * One market for each process of jest, for files that neither break its parts nor read figures of the whole market
 * (totals, whole listings, metrics). Each file brings its own users, agents and keys. `startMarket` starts a separate
 * one.
 */
import { expectWholeLedger, startMarket, type TestMarket } from './market';
import { onEndOfProcess } from './stack/process-end';

let kept: Promise<TestMarket> | undefined;

/** The market that this process keeps. Its `stop` proves the whole ledger and leaves the market running. */
export async function keptMarket(): Promise<TestMarket> {
  kept ??= start().catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  const market = await kept;
  return { ...market, stop: () => expectWholeLedger(market) };
}

async function start(): Promise<TestMarket> {
  const market = await startMarket();
  // A database that was restarted fails the files that run; the next one begins with a new market.
  market.owner.on('error', () => {
    kept = undefined;
  });
  onEndOfProcess(async () => {
    kept = undefined;
    await market.stop();
  });
  return market;
}
