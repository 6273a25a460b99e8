import { rejectAdvice } from './reject-advice';

const hosted = { agentId: 'agt_word_counter_v2', isSelfHosted: false };
const failed = (status: number | null) => [
  { code: 'conforms', status: null } as const,
  { code: 'agent_error', status } as const,
];

it.each([401, 403])('names the signing secret of the major version where the agent answers %i', (status) => {
  const advice = rejectAdvice(failed(status), hosted);
  expect(advice).toContain('market agents show agt_word_counter_v2 --json');
  expect(advice).toContain('a signing secret of its own');
});

it('names the upstream credential where a self-hosted agent refuses it', () => {
  expect(rejectAdvice(failed(401), { ...hosted, isSelfHosted: true })).toContain('upstream_auth');
});

it('says what is wrong with an answer of status 200', () => {
  const advice = rejectAdvice(failed(200), hosted);
  expect(advice).toContain('not one JSON value');
  expect(advice).toContain('capabilities.streaming');
});

it('says what to do about a connection that was refused', () => {
  const advice = rejectAdvice([{ code: 'agent_unreachable', status: null, cause: 'refused' }], hosted);
  expect(advice).toMatch(/^Start the agent/);
});

it.each([[failed(500)], [failed(null)], [[]]])('adds nothing where the status says enough', (probes) => {
  expect(rejectAdvice(probes, hosted)).toBe('');
});
