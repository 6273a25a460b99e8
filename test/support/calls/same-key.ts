/** What tests of idempotency keys share: one agent, two API processes, and calls with a key. */
import { balance, invoke, startMarket, type InvokeReply, type TestMarket, type TestUser } from '../market';
import { startScene, type Scene } from '../scene';
import { realTime } from '../waits';

export const PRICE = 10;
export const CALLERS = 50;
export const INPUT = { text: 'once' };

export const outcomeOf = (reply: InvokeReply) => [reply.status, reply.body.error?.code];

let keys = 0;

export function newKey(): string {
  keys += 1;
  return `order-${keys}`;
}

type Failure = { kind: 'status'; status: number };

export interface SameKeyScene extends Scene {
  /** Another API process of the market. */
  second: TestMarket;
  callWith(key: string, buyer: TestUser, at?: TestMarket, input?: unknown): Promise<InvokeReply>;
  walletOf(buyer: TestUser): Promise<number>;
  /** The agent answers only when the returned function is called. */
  holdAnswers(then?: Failure): () => void;
  /** 50 callers with one key over both processes, all of them there before the agent answers. */
  storm(key: string, buyer: TestUser, then?: Failure): Promise<InvokeReply[]>;
}

export async function startSameKeyScene(): Promise<SameKeyScene> {
  const scene = await startScene({ agent: { credits: PRICE, timeoutMs: 20_000 } });
  const { market, agent, agentId } = scene;
  const second = await startMarket({ share: market });

  const callWith: SameKeyScene['callWith'] = (key, buyer, at = market, input = INPUT) =>
    invoke(at, buyer, agentId, { input, idempotency_key: key });

  const holdAnswers: SameKeyScene['holdAnswers'] = (then) => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    agent.behave({ kind: 'waits', until, ...(then ? { then } : {}) });
    return release;
  };

  return {
    ...scene,
    second,
    callWith,
    walletOf: async (buyer) => (await balance(market.owner, buyer.userId, 'wallet')) / 100,
    holdAnswers,
    async storm(key, buyer, then) {
      const release = holdAnswers(then);
      const callers = Array.from({ length: CALLERS }, (_, n) =>
        callWith(key, buyer, n % 2 ? second : market),
      );
      await agent.waitForDeliveries(1, 10_000);
      await realTime(1_500, 'all callers begin to wait, which nothing shows');
      release();
      return Promise.all(callers);
    },
    async stop() {
      await second.stop();
      await scene.stop();
    },
  };
}
