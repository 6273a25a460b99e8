import { reached, toolsFound } from './reachability-probe';

const durationMs = 12;

describe('reaching an agent of which nothing is known', () => {
  it.each([200, 201, 204, 400, 402, 409, 413, 415, 422, 429])(
    'accepts the status %i as an answer of an agent',
    (status) => {
      expect(reached({ ok: false, code: 'agent_error', durationMs, status }).ok).toBe(true);
    },
  );

  it.each([302, 401, 403, 404, 405, 407, 410, 500, 502, 503])(
    'does not accept the status %i as an answer of an agent',
    (status) => {
      expect(reached({ ok: false, code: 'agent_error', durationMs, status }).ok).toBe(false);
    },
  );

  it.each(['agent_unreachable', 'agent_timeout', 'agent_error'] as const)(
    'reports %s if no answer came',
    (code) => {
      expect(reached({ ok: false, code, durationMs })).toMatchObject({ ok: false, code });
    },
  );

  it('reports a timeout in the middle of an answer', () => {
    expect(reached({ ok: false, code: 'agent_timeout', durationMs, status: 200 }).ok).toBe(false);
  });

  it('accepts an answer', () => {
    expect(reached({ ok: true, durationMs }).ok).toBe(true);
  });
});

it('requires one tool of an MCP server', () => {
  expect(toolsFound([], durationMs)).toEqual({ ok: false, code: 'no_tools', durationMs });
  expect(toolsFound([{ name: 'a' }], durationMs).ok).toBe(true);
});
