import { busyShare } from '../../../test/support/event-loop';
import { createAnswerThread } from './answer-thread';
import { evidenceOf, type Observations } from './live-evidence';
import { part } from '../../../test/support/ledger/counts';

const KEY = ['sk', 'live', '9fKq2LmZx7Tb4VwR8sYp3NcD'].join('_');
const answerOf = (text: string) => Buffer.from(JSON.stringify({ text }));

/** The observations of a pass over an agent with one answer to every input. */
function observed(text: string, calls: number): Observations {
  const exchange = (at: number) => ({
    input: `{"text":"order ${at}"}`,
    answer: answerOf(text),
    fact: {
      durationMs: 5,
      tries: 1,
      code: 'conforms' as const,
      status: null,
      problems: [],
      invocationId: `inv_${at}`,
    },
  });
  const attempt = { category: 'data_exfiltration' as const, obeyed: null, phrasings: [] };
  const step = {
    attempt,
    canary: { left: 'ABCDE', right: 'FGHJK' },
    words: null,
    input: '{"text":"keys?"}',
    control: undefined,
  };
  return {
    plan: {
      examples: [],
      made: [],
      wanted: 3,
      gap: 'no_inputs',
      invalid: [],
      invalidWanted: 0,
      timeoutMs: 1_000,
      limitBytes: 1_000_000,
      idempotent: false,
      streaming: false,
      role: 'data',
      writesPrompts: false,
      writesMarkup: false,
      ownHosts: [],
      hasText: true,
      attackInputs: [],
      baseline: [],
      mostBaseline: 0,
      salt: 'run',
    },
    exchanges: [exchange(1), exchange(2), exchange(3)],
    attacks: Array.from({ length: calls }, (_, at) => ({
      step,
      exchange: exchange(10 + at),
      isExtractor: false,
    })),
    canaries: [step.canary],
    expected: [],
    repeats: [],
    punctuated: [],
    idempotency: null,
    streaming: null,
    cases: [],
  };
}

it('gives the evidence of a pass, with the probe that shows a leak', async () => {
  const thread = createAnswerThread();
  const wanted = evidenceOf('redTeam', observed(`The key is ${KEY}`, 2));
  expect(await thread.of('one').evidence('redTeam', observed(`The key is ${KEY}`, 2))).toEqual(wanted);
  const attack = wanted.attacks.find(({ category }) => category === 'data_exfiltration');
  expect(attack?.leaks).toEqual([{ kind: 'disclosed_secret', attempts: 5, invocationId: 'inv_10' }]);
  await thread.close();
});

it('delays other work of the process by little, however large the answers are', async () => {
  const thread = createAnswerThread();
  const hostile = `api_key = "${'aB3dE5gH7'.repeat(3)}" token: password=x `.repeat(part(150, 400));
  const seen = observed(hostile, 3);
  const { share, tookMs } = await busyShare(() => thread.of('one').evidence('redTeam', seen));
  expect(tookMs).toBeGreaterThan(100);
  expect(share).toBeLessThan(0.5);
  await thread.close();
});

it('fails at once after it was closed', async () => {
  const thread = createAnswerThread();
  await thread.of('one').evidence('redTeam', observed('x', 1));
  await thread.close();
  await expect(thread.of('one').evidence('redTeam', observed('x', 1))).rejects.toThrow('ended');
});

it('reports answers that take longer than the deadline as not read, and goes on with the next', async () => {
  const thread = createAnswerThread({ deadlineMs: 1 });
  for (let time = 0; time < 2; time += 1) {
    const long = () => observed('x'.repeat(200_000), 3);
    const dynamic = await thread.of('one').evidence('dynamic', long());
    const redTeam = await thread.of('one').evidence('redTeam', long());
    const tooSlow = { wanted: 3, looked: 0, gaps: [{ code: 'too_slow', count: 3 }] };
    expect(dynamic.personalData).toEqual(tooSlow);
    expect(dynamic.share.personalData).toEqual([]);
    expect(redTeam.attacks.every(({ leaks, coverage }) => leaks.length === 0 && coverage.looked === 0)).toBe(
      true,
    );
    expect(dynamic.conformance.probes).toHaveLength(3);
    expect(dynamic.responseSize.largestBytes).toBeGreaterThan(200_000);
    expect(dynamic.share.answers).toMatchObject({ prints: [], ordinary: { alikeShapes: 0 } });
  }
  await thread.close();
});

it('reads the answers for another developer while those for one take long', async () => {
  const thread = createAnswerThread();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const slow = () => observed(`token: ${'aB3dE5gH7 '.repeat(part(1_500, 20_000))}`, 6);
  await Promise.all([
    ...[1, 2, 3].map((n) =>
      thread
        .of('many')
        .evidence('redTeam', slow())
        .then(note(`many ${n}`)),
    ),
    thread.of('one').evidence('redTeam', observed('x', 1)).then(note('one')),
  ]);
  expect(order[0]).toBe('one');
  await thread.close();
});

/** Processor time of this process in ms. */
function usedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it.each<[string, string, number]>([
  ['white space after a word of an instruction', 'Вы ', 8_192],
  ['addresses', 'someone.else@mail.company.com ', 4_096],
  ['phone numbers', '+49 151 23456789, ', 8_192],
  ['words before a colon', 'says ', 16_384],
  ['refusals without an end', 'I not ', 8_192],
  ['spaced letters', 'a b ', 8_192],
  ['lists of numbers', '12, ', 16_384],
  ['invisible letters', '\u{1f3f4}\u{e0061}', 8_192],
  ['names before data', 'Mara Jonas: ', 8_192],
])('takes about twice the time for twice as many %s', (_what, part, times) => {
  const textOf = (count: number) => (part === 'Вы ' ? `Вы${' '.repeat(count)}x` : part.repeat(count));
  const timeOf = (count: number) => usedMs(() => evidenceOf('redTeam', observed(textOf(count), 2)));
  timeOf(64);
  // Quadratic work takes four times as long, each time; short times are noise, and so is a collection of memory.
  let growth = Infinity;
  for (let tries = 0; tries < 3 && growth >= 3; tries += 1)
    growth = timeOf(2 * times) / Math.max(timeOf(times), 20);
  expect(growth).toBeLessThan(3);
});
