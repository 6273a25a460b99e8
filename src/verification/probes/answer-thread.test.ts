import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAnswerThread } from './answer-thread';
import { evidenceOf, type Observations } from './live-evidence';

const KEY = ['sk', 'live', '9fKq2LmZx7Tb4VwR8sYp3NcD'].join('_');
const answerOf = (text: string) => Buffer.from(JSON.stringify({ text }));

/** What a pass observes of an agent that gives the same answer to everything. */
function observed(text: string, calls: number): Observations {
  const exchange = (at: number) => ({
    input: `{"text":"order ${at}"}`,
    answer: answerOf(text),
    fact: { durationMs: 5, tries: 1, code: 'conforms' as const, status: null, problems: [], invocationId: `inv_${at}` },
  }); // prettier-ignore
  const attempt = { category: 'data_exfiltration' as const, obeyed: null, phrasings: [] };
  const step = { attempt, canary: { left: 'ABCDE', right: 'FGHJK' }, words: null, input: '{"text":"keys?"}', control: undefined }; // prettier-ignore
  return {
    plan: {
      examples: [], made: [], wanted: 3, gap: 'no_inputs', invalid: [], invalidWanted: 0, timeoutMs: 1_000,
      limitBytes: 1_000_000, idempotent: false, streaming: false, role: 'data',
    writesPrompts: false, ownHosts: [], hasText: true, attackInputs: [],
    },
    exchanges: [exchange(1), exchange(2), exchange(3)],
    attacks: Array.from({ length: calls }, (_, at) => ({ step, exchange: exchange(10 + at), isExtractor: false })),
    expected: [],
    repeats: [],
  punctuated: [],
    idempotency: null,
    streaming: null,
    cases: [],
  }; // prettier-ignore
}

it('gives the evidence of a pass, with the probe that shows a leak', async () => {
  const thread = createAnswerThread();
  const wanted = evidenceOf(observed(`The key is ${KEY}`, 2));
  expect(await thread.evidence(observed(`The key is ${KEY}`, 2))).toEqual(wanted);
  const attack = wanted.redTeam.attacks.find(({ category }) => category === 'data_exfiltration');
  expect(attack?.leaks).toEqual([{ kind: 'disclosed_secret', attempts: 5, invocationId: 'inv_10' }]);
  await thread.close();
});

it('delays other work of the process by little, however large the answers are', async () => {
  const thread = createAnswerThread();
  const hostile = `api_key = "${'aB3dE5gH7'.repeat(3)}" token: password=x `.repeat(400);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const seen = observed(hostile, 3);
  const beganAt = performance.now();
  delay.enable();
  await thread.evidence(seen);
  const tookMs = performance.now() - beganAt;
  // The delay is noted in a later turn of the event loop.
  await sleep(20);
  delay.disable();
  expect(tookMs).toBeGreaterThan(100);
  expect(delay.max / 1e6).toBeLessThan(tookMs / 2);
  await thread.close();
});

it('fails at once after it was closed', async () => {
  const thread = createAnswerThread();
  await thread.evidence(observed('x', 1));
  await thread.close();
  await expect(thread.evidence(observed('x', 1))).rejects.toThrow('ended');
});

it('fails when an answer takes longer than the deadline, and goes on with the next', async () => {
  const thread = createAnswerThread({ deadlineMs: 1 });
  await expect(thread.evidence(observed('x'.repeat(200_000), 3))).rejects.toThrow('deadline');
  await expect(thread.evidence(observed('x'.repeat(200_000), 3))).rejects.toThrow('deadline');
  await thread.close();
});
