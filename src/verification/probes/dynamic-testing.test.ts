import type { ProbeFact } from '../../domain/verification/probe-facts';
import type { Exchange } from './conformance-probe';
import { answersShare, reliabilityOf } from './dynamic-testing';

const exchange = (given: Partial<ProbeFact>): Exchange => {
  const fact: ProbeFact = { durationMs: 5, tries: 1, code: 'conforms', status: null, problems: [], ...given };
  return { input: '{}', answer: null, fact };
};

describe('the reliability of an agent', () => {
  it('counts no refusal as a fault, also one that the call path sent three times', () => {
    const refusals = [400, 404, 422].map((status) => exchange({ code: 'agent_error', status, tries: 3 }));
    expect(reliabilityOf([exchange({}), ...refusals])).toEqual({ calls: 4, faults: 0 });
  });

  it.each([
    ['an answer at the second try', { tries: 2 }],
    ['a server error', { code: 'agent_error', status: 500 }],
    ['an answer without a status', { code: 'agent_error', status: null }],
    ['a broken connection', { code: 'agent_unreachable' }],
    ['a timeout', { code: 'agent_timeout' }],
  ] as [string, Partial<ProbeFact>][])('counts %s as one', (_name, fact) => {
    expect(reliabilityOf([exchange(fact)])).toEqual({ calls: 1, faults: 1 });
  });
});

it('compares no refusals: an answer of 4xx is never charged', () => {
  const answered = (input: string): Exchange => ({
    ...exchange({}),
    input,
    answer: Buffer.from(`{"to":${input}}`),
  });
  const refused = (input: string): Exchange => ({ ...exchange({ code: 'agent_error', status: 400 }), input });
  const all = [answered('"one"'), answered('"two"'), refused('"three"'), refused('"four"')];
  const share = answersShare({ all, ordinary: all, repeats: [], hasText: true, salt: 'run' });
  expect(share.prints).toHaveLength(2);
  expect(share.ordinary).toMatchObject({ inputs: 2 });
});
