/** What most tests of calls begin with: a market, a developer, their agent, and a buyer with credits. */
import type { TestManifestOptions } from './agents/manifest';
import { startAgent, type TestAgent, type TestAgentOptions } from './agents/test-agent';
import { keptMarket } from './kept-market';
import {
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type LiveAgent,
  type TestMarket,
  type TestMarketOptions,
  type TestUser,
} from './market';

export interface Scene extends LiveAgent {
  market: TestMarket;
  developer: TestUser;
  /** The developer's server. `agentId` lives there; further agents may too. */
  agent: TestAgent;
  buyer: TestUser;
  /** Proves the ledger, then stops everything. */
  stop(): Promise<void>;
}

export interface SceneOptions {
  /** Starts a separate market with these options; default: the market that the process keeps. */
  market?: TestMarketOptions;
  server?: TestAgentOptions;
  /** The live agent: an echo of 10 credits a call unless it says otherwise. */
  agent?: TestManifestOptions;
  /** In the buyer's wallet; default 10,000. */
  credits?: number;
}

export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const market = await (options.market ? startMarket(options.market) : keptMarket());
  const [developer, buyer, agent] = await Promise.all([
    register(market, 'developer'),
    register(market, 'buyer', options.credits ?? 10_000),
    startAgent(options.server),
  ]);
  const live = await putLive(market, developer.userId, agent.url, options.agent);
  return {
    market,
    developer,
    agent,
    buyer,
    ...live,
    async stop() {
      await agent.stop();
      await expectWholeLedger(market);
      await market.stop();
    },
  };
}
