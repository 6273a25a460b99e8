import { evidenceOf } from './live-evidence';
import type { LivePlan } from './live-plan';
import { createCallOrder } from '../turns/call-order';
import { type LiveDeps, testLive, testStage } from './live-testing';

const BROKEN = 'broken';
const PLAN: LivePlan = {
  examples: [],
  made: ['{"text":"one two"}', '{"text":"one two"}', '{"text":"three"}'],
  baseline: ['{"text":"four five"}', '{"text":"six"}'],
  mostBaseline: 2,
  salt: 'run',
  wanted: 3,
  gap: 'no_inputs',
  invalid: [],
  invalidWanted: 0,
  timeoutMs: 1_000,
  limitBytes: 1_000,
  idempotent: false,
  streaming: false,
  role: 'data',
  writesPrompts: false,
  writesMarkup: false,
  hasText: true,
  ownHosts: [],
  attackInputs: [],
  mostAttempts: 3,
};

/** An agent in this process; `BROKEN` is a server error. */
function depsOf(answer: (text: string) => string): LiveDeps {
  return {
    call(input) {
      const { text } = JSON.parse(input.toString()) as { text: string };
      if (answer(text) === BROKEN)
        return Promise.resolve({ ok: false, code: 'agent_error', status: 500, durationMs: 5 });
      return Promise.resolve({
        ok: true,
        json: Buffer.from(JSON.stringify({ text: answer(text) })),
        durationMs: 5,
      });
    },
    check: () => Promise.resolve([]),
    accepts: () => Promise.resolve(true),
    pause: () => Promise.resolve(),
    newKey: () => 'inv_1',
    random: () => 0.5,
    drawn: () => () => 0.5,
    hasTime: () => true,
    reader: {
      saysWords: () => Promise.resolve(false),
      evidence: (stage, seen) => Promise.resolve(evidenceOf(stage, seen)),
    },
  };
}

describe('a short pass with equal answers', () => {
  const distinct = async (answer: (text: string) => string) => {
    const { dynamic } = await testLive(depsOf(answer), PLAN);
    return dynamic.answers?.distinct;
  };

  it('sends inputs again, and sees that a number in the same words is an answer', async () => {
    expect(await distinct((text) => `${text.length} letters. This is no legal advice.`)).toBeGreaterThan(3);
  });

  it('sees one answer if only a counter changes', async () => {
    let calls = 0;
    expect(await distinct(() => `Request ${(calls += 1)} is in good hands with us.`)).toBe(1);
  });
});

it('sends texts with canaries again, too, if a few answers go round in the red team', async () => {
  const inputs: string[] = [];
  const deps = depsOf(() => 'Thank you, we look into it.');
  const call: LiveDeps['call'] = (input, how) => {
    inputs.push(input.toString());
    return deps.call(input, how);
  };
  await testStage({ ...deps, call }, { ...PLAN, mostAttempts: 15 }, 'redTeam', createCallOrder().join());
  const again = inputs.filter((input, at) => inputs.indexOf(input) !== at);
  expect(again).toHaveLength(3);
  expect(again.filter((input) => !PLAN.baseline.includes(input))).not.toEqual([]);
});

describe('a server error at an attempt', () => {
  const punctuated = async (isBroken: (text: string) => boolean) => {
    const answer = (text: string) => (isBroken(text) ? BROKEN : text);
    const { redTeam } = await testLive(depsOf(answer), { ...PLAN, mostAttempts: 15 });
    return redTeam.answers?.punctuated;
  };

  it('is followed by ordinary texts with quotation marks, which show the cause of the failure', async () => {
    expect(await punctuated((text) => text.includes('"'))).toEqual({ calls: 2, broken: 2 });
    expect(await punctuated((text) => /ignore|instruct|prompt/i.test(text))).toEqual({ calls: 2, broken: 0 });
  });

  it('is followed by nothing if there was none', async () => {
    expect(await punctuated(() => false)).toBeUndefined();
  });
});

it('finds an agent whose answers are the same only under the same key', async () => {
  const sameAnswerOf = async (answerFor: (key: string, calls: number) => string) => {
    let calls = 0;
    let keys = 0;
    const deps = depsOf((text) => text);
    const { dynamic } = await testLive(
      {
        ...deps,
        newKey: () => `inv_${(keys += 1)}`,
        call: (input, how) =>
          how?.key === undefined
            ? deps.call(input, how)
            : Promise.resolve({
                ok: true,
                json: Buffer.from(answerFor(how.key, (calls += 1))),
                durationMs: 5,
              }),
      },
      { ...PLAN, idempotent: true },
    );
    return dynamic.idempotency?.sameAnswer;
  };
  expect(await sameAnswerOf((key) => JSON.stringify({ text: key }))).toBe(false);
  expect(await sameAnswerOf((_key, calls) => JSON.stringify({ text: calls }))).toBe(false);
  expect(await sameAnswerOf(() => '{"text":"always"}')).toBe(true);
});

describe('the two stages', () => {
  /** Notes the inputs of each stage, and how many calls are made at once. */
  const noted = () => {
    const inputs: string[] = [];
    const seen = { inputs, running: 0, most: 0 };
    const deps = depsOf((text) => `Text: ${text}`);
    const call: LiveDeps['call'] = async (input, how) => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      inputs.push(input.toString());
      await new Promise((resolve) => setImmediate(resolve));
      seen.running -= 1;
      return deps.call(input, how);
    };
    return { seen, deps: { ...deps, call } };
  };

  it('each send their own share, which is the same alone as beside the other', async () => {
    const alone = { dynamic: noted(), redTeam: noted() };
    await testStage(alone.dynamic.deps, PLAN, 'dynamic', createCallOrder().join());
    await testStage(alone.redTeam.deps, PLAN, 'redTeam', createCallOrder().join());
    const [own, attacks] = [alone.dynamic.seen.inputs, alone.redTeam.seen.inputs];
    expect([own.length, attacks.slice(0, 2)]).toEqual([PLAN.made.length, PLAN.baseline]);
    expect(attacks.length).toBeGreaterThan(4);
    const both = noted();
    await testLive(both.deps, PLAN);
    expect(both.seen.inputs.filter((input) => own.includes(input))).toEqual(own);
    expect(both.seen.inputs.filter((input) => attacks.includes(input))).toEqual(attacks);
    // Mixed, and one call at a time.
    expect(both.seen.inputs).not.toEqual([...own, ...attacks]);
    expect(both.seen.most).toBe(1);
  });

  it('find in the ordinary answers of one what the other sent', async () => {
    const sent: string[] = [];
    const deps = depsOf((text) => {
      sent.push(text);
      return sent.join(' | ');
    });
    const order = createCallOrder();
    const [dynamic] = await Promise.all([
      testStage(
        deps,
        { ...PLAN, made: [...PLAN.made, '{"text":"seven"}'], wanted: 4 },
        'dynamic',
        order.join(),
      ),
      testStage(
        deps,
        { ...PLAN, made: [...PLAN.made, '{"text":"seven"}'], wanted: 4 },
        'redTeam',
        order.join(),
      ),
    ]);
    expect(dynamic.share.mixesCallers).toBe(true);
    expect(dynamic.share.leaks.map(({ kind }) => kind)).toContain('foreign_canary');
  });
});
