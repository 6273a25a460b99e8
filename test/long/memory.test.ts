/** A 10 MiB input passes through, and 20 such calls at once keep the API process under 1 GiB. */
import { readFileSync } from 'node:fs';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { eventually, invoke, putLive, register } from '../support/market';
import { realTime } from '../support/waits';
import { startProcessStack, type ProcessStack } from '../support/stack/process-stack';

jest.setTimeout(180_000);

const TEN_MIB = 10 * 1024 * 1024;
let stack: ProcessStack;
let agent: TestAgent;

beforeAll(async () => {
  stack = await startProcessStack({ warm: true });
  agent = await startAgent({
    behaviour: { kind: 'answer', output: { text: 'received' } },
    keepBodies: false,
  });
});
afterAll(async () => {
  await agent.stop();
  await stack.stop();
});

it('passes 20 inputs of 10 MiB at once with less than 1 GiB of memory', async () => {
  const api = await stack.addProcess('api');
  await stack.addProcess('worker');
  const market = { url: api.url, owner: stack.owner, container: stack.container as never };
  const developer = await register(market, 'developer');
  const buyer = await register(market, 'buyer', 1_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5, timeoutMs: 60_000 });
  await eventually(async () => (await fetch(`${api.url}/readiness`)).status === 200, 60_000);
  const input = { text: 'x'.repeat(TEN_MIB - '{"text":""}'.length) };
  const body = JSON.stringify({ input });
  // On a busy machine this process, which is the agent too, may take too long to shake hands with 20 callers, and calls
  // that are slow hold more at once than one buyer may.
  const call = async (tries = 10): ReturnType<typeof invoke> => {
    const reply = await invoke(api, buyer, agentId, body);
    const code = reply.body.error?.code ?? '';
    if (tries === 1 || !['agent_unreachable', 'concurrency_limited'].includes(code)) return reply;
    await realTime(1_000, 'as long as Retry-After asks for');
    return call(tries - 1);
  };
  const replies = await Promise.all(Array.from({ length: 20 }, () => call()));
  expect(replies.map((reply) => [reply.status, reply.body.error?.code])).toEqual(
    Array.from({ length: 20 }, () => [200, undefined]),
  );
  const tooLarge = await invoke(api, buyer, agentId, { input: { text: 'x'.repeat(TEN_MIB) } });
  expect([tooLarge.status, tooLarge.body.error?.code]).toEqual([413, 'payload_too_large']);
  const peakMib = peakMemoryMib(api.pid);
  if (process.env['MEMORY_VERBOSE']) console.log(`peak ${peakMib} MiB`);
  expect(peakMib).toBeLessThan(1024);
});

/** The most memory that a process has had so far (Linux; 0 elsewhere, where it cannot be read). */
function peakMemoryMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
