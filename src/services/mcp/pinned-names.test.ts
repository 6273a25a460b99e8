import { mayBeToolOf, pinnedName } from './pinned-names';

const long = `agt_${'a'.repeat(80)}_v1`;

it.each([
  ['agt_pdf_parser_v1', undefined, 'pdf_parser_v1'],
  ['agt_files_v2', 'read-file', 'files_v2-read-file'],
  ['agt_files_v2', 'read/file', /^files_v2--read_file--[0-9a-f]{10}$/],
  ['agt_files_v2', '-read', /^files_v2--_read--[0-9a-f]{10}$/],
  ['agt_files_v2', '翻訳', /^files_v2--__--[0-9a-f]{10}$/],
  ['agt_files_v2', 't'.repeat(200), /^files_v2--t{28}--[0-9a-f]{10}$/],
  [long, undefined, /^a{52}--[0-9a-f]{10}$/],
  [long, 'read', /^a{22}--read--[0-9a-f]{10}$/],
])('names the tool of %s %s', (agentId, tool, expected) => {
  const name = pinnedName(agentId, tool);
  if (typeof expected === 'string') expect(name).toBe(expected);
  else expect(name).toMatch(expected);
  expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  if (tool !== undefined) expect(mayBeToolOf(agentId, name)).toBe(true);
});

it('gives different names to tools whose names would be the same', () => {
  const names = [
    pinnedName('agt_files_v2', 'a.b'),
    pinnedName('agt_files_v2', 'a b'),
    pinnedName('agt_files_v2', 'a_b'),
    // A server that imitates the cut name of another agent.
    pinnedName(long),
    pinnedName(`agt_${'a'.repeat(52)}`, pinnedName(long).slice(54)),
    pinnedName(`${long.slice(0, -1)}2`),
    pinnedName('agt_a_v1', 'b_v1'),
    pinnedName('agt_a_v1_b_v1'),
  ];
  expect(new Set(names).size).toBe(names.length);
});

it('never names a tool of the market', () => {
  expect(mayBeToolOf('agt_call_v1', 'call_agent')).toBe(false);
  expect(pinnedName('agt_call_agent_v1')).toBe('call_agent_v1');
});
