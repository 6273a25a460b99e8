/**
 * Parts of a test that start before all tests of a file and stop after them. Call each at the top of the file, markets
 * first.
 */
import { startAgent, type TestAgent, type TestAgentOptions } from './agents/test-agent';
import { keptMarket } from './kept-market';
import { expectWholeLedger, startMarket, type TestMarket, type TestMarketOptions } from './market';
import { type Scene, type SceneOptions, startScene } from './scene';

/**
 * A market for the tests of a file: the one that the process keeps, or one of its own with `options` (`{}` for the
 * usual settings). The whole ledger is proven at the end.
 */
export function useMarket(options?: TestMarketOptions): TestMarket {
  return use(
    () => (options ? startMarket(options) : keptMarket()),
    async (market) => {
      await expectWholeLedger(market);
      await market.stop();
    },
  );
}

/** An agent's server for the tests of a file. */
export function useAgent(options?: TestAgentOptions): TestAgent {
  return use(
    () => startAgent(options),
    (agent) => agent.stop(),
  );
}

/** A market with a developer, their live agent and a buyer, for the tests of a file. */
export function useScene(options?: SceneOptions): Scene {
  return use(
    () => startScene(options),
    (scene) => scene.stop(),
  );
}

/** Registers the hooks. The object that is returned stands for the part, which exists once its hook has run. */
function use<T extends object>(start: () => Promise<T>, stop: (part: T) => Promise<void>): T {
  let part: T | undefined;
  beforeAll(async () => {
    part = await start();
  });
  afterAll(async () => {
    if (part) await stop(part);
  });
  const started = (): T => {
    if (part) return part;
    throw new Error('use it in hooks and tests: it starts before all tests of the file');
  };
  return new Proxy({} as T, {
    get: (_target, key) => Reflect.get(started(), key) as unknown,
    set: (_target, key, value) => Reflect.set(started(), key, value),
    has: (_target, key) => Reflect.has(started(), key),
    ownKeys: () => Reflect.ownKeys(started()),
    getOwnPropertyDescriptor: (_target, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(started(), key);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}
