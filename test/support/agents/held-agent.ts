import { startAgent, type TestAgent } from './test-agent';

/** An agent that answers only when released. */
export async function startHeldAgent(): Promise<TestAgent & { release(): void }> {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  const agent = await startAgent({ behaviour: { kind: 'waits', until }, keepBodies: false });
  return { ...agent, release: () => release() };
}
