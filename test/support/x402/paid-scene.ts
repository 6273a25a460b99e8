/** A market that takes payments by x402, with an agent of 10 credits, for the tests of a file. */
import type { PaymentPayload } from '@x402/core/types';
import { startAgent, type TestAgent } from '../agents/test-agent';
import type { TestManifestOptions } from '../agents/manifest';
import {
  balance,
  expectWholeLedger,
  putLive,
  register,
  startMarket,
  type LiveAgent,
  type TestMarket,
  type TestUser,
} from '../market';
import { NETWORK, startChain, type UsdcChain } from '../usdc/chain';
import { startFacilitator, type TestFacilitator } from '../usdc/facilitator';
import { callOf, paidWith, PAY_TO, type Payer, x402Settings } from './paying';

export const INPUT = { text: 'hello' };

export interface Answer {
  output?: unknown;
  error?: { code: string; message: string; retryable: boolean };
  usage?: { credits_charged: number };
  invocation_id?: string;
}

export const bodyOf = async (answer: Response): Promise<Answer> => (await answer.json()) as Answer;

export interface PaidScene {
  chain: UsdcChain;
  facilitator: TestFacilitator;
  market: TestMarket;
  /** Another API process of the market. */
  other: TestMarket;
  developer: TestUser;
  agent: TestAgent;
  live: LiveAgent;
  /** The path of the agent. */
  url: string;
}

/**
 * Starts it before all tests of a file; after each test the ledger is proven, and facilitator and node behave again.
 */
export function usePaidScene(): PaidScene {
  const scene = {} as PaidScene;
  beforeAll(async () => {
    const chain = await startChain();
    const facilitator = await startFacilitator(chain);
    const env = x402Settings(chain, facilitator);
    const market = await startMarket({ env });
    const other = await startMarket({ env, share: market });
    const developer = await register(market, 'developer');
    const agent = await startAgent();
    const live = await putLive(market, developer.userId, agent.url, { credits: 10 });
    Object.assign(scene, { chain, facilitator, market, other, developer, agent, live });
    scene.url = invokeUrl(scene, live);
  }, 120_000);
  afterEach(async () => {
    scene.facilitator.conduct = 'settles';
    scene.facilitator.answers = () => true;
    scene.chain.rpc.answers = () => true;
    await Promise.allSettled(scene.facilitator.late.splice(0));
    await expectWholeLedger(scene.market);
  });
  afterAll(async () => {
    await scene.agent.stop();
    await scene.other.stop();
    await scene.market.stop();
    await scene.facilitator.stop();
    await scene.chain.stop();
  });
  return scene;
}

export const invokeUrl = (
  { market }: Pick<PaidScene, 'market'>,
  { agentId }: Pick<LiveAgent, 'agentId'>,
  of = market,
): string => `${of.url}/v1/agents/${agentId}/invoke`;

/** What is sent with a payment, where it is not the usual call. */
interface Sent {
  target?: string;
  input?: unknown;
  headers?: Record<string, string>;
}

/** What a test does with the scene. */
export function actsOn(scene: PaidScene) {
  const asked = (target = scene.url) => fetch(target, callOf(INPUT));
  return {
    asked,
    invokeUrl: (agent: Pick<LiveAgent, 'agentId'>, of?: TestMarket) => invokeUrl(scene, agent, of),
    publish: (options: TestManifestOptions, server = scene.agent.url) =>
      putLive(scene.market, scene.developer.userId, server, options),
    /** Signs the payment that the agent asks for. */
    signed: async (payer: Payer, target = scene.url): Promise<PaymentPayload> =>
      payer.sign(await asked(target)),
    pay: (payment: unknown, { target = scene.url, input = INPUT, headers = {} }: Sent = {}) =>
      fetch(target, callOf(input, { ...paidWith(payment), ...headers })),
    /** The units in the wallet of a payer; undefined before it has an account. */
    async wallet({ address }: Payer): Promise<number | undefined> {
      const { rows } = await scene.market.owner.query<{ id: string }>(
        'SELECT user_id AS id FROM users WHERE email = $1',
        [`${NETWORK}:${address.toLowerCase()}`],
      );
      return rows[0] && balance(scene.market.owner, rows[0].id, 'wallet');
    },
    async paymentsOf({ address }: Payer) {
      const { rows } = await scene.market.owner.query<{
        state: string;
        reason: string | null;
        sent: boolean;
      }>(
        `SELECT state, reason, sent_at IS NOT NULL AS sent FROM x402_payments WHERE payer = $1 ORDER BY payment_id`,
        [address.toLowerCase()],
      );
      return rows;
    },
    received: () => scene.chain.balanceOf(PAY_TO),
    /** Lets the loop look at all open payments now. */
    async turn(): Promise<void> {
      await scene.market.owner.query('UPDATE x402_payments SET due_at = now() WHERE ended_at IS NULL');
      await scene.market.container.paymentLoop();
    },
  };
}
