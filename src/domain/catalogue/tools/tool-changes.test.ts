import { toolChanges } from './tool-changes';
import { byName, servedTools } from './tool-list';

const tool = { name: 'add', description: 'Adds.', inputSchema: { properties: { a: { enum: [1, 2] } } } };

it('names each text that differs by its pointer', () => {
  const changed = {
    ...tool,
    inputSchema: { properties: { a: { enum: [1, 3] }, 'b/c': { type: 'string' } } },
  };
  expect(toolChanges([tool], [changed, { name: 'new', title: 'New' }])).toEqual({
    tools: [
      {
        name: 'add',
        kind: 'changed',
        texts: [
          { path: '/inputSchema/properties/a/enum/1', before: '2', after: '3' },
          { path: '/inputSchema/properties/b~1c/type', before: null, after: 'string' },
        ],
        more: 0,
      },
      { name: 'new', kind: 'added', texts: [{ path: '/title', before: null, after: 'New' }], more: 0 },
    ],
    more: 0,
  });
  expect(toolChanges([tool], [])).toEqual({
    tools: [{ name: 'add', kind: 'removed', texts: [], more: 0 }],
    more: 0,
  });
});

it('takes members and tools in another order for equal', () => {
  const other = { inputSchema: tool.inputSchema, description: 'Adds.', name: 'add' };
  expect(toolChanges([tool, { name: 'b' }], [{ name: 'b' }, other])).toEqual({ tools: [], more: 0 });
  expect(byName([{ name: 'b' }, tool])).toEqual([tool, { name: 'b' }]);
});

it('serves the first tool of each name, without how its server makes tasks', () => {
  const listed = [
    { ...tool, execution: { taskSupport: 'required' } },
    { ...tool, description: 'Other.' },
  ];
  expect(servedTools(listed)).toEqual([tool]);
});

it('bounds what it says of a hostile list', () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`f${n}`, 'x'.repeat(100)]));
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    name: `t${n}`,
    description: 'y'.repeat(3_000),
    ...(n === 0 && { wide }),
  }));
  const changes = toolChanges([], many);
  expect(JSON.stringify(changes).length).toBeLessThan(300_000);
  expect(changes.tools.length + changes.more).toBe(1_000);
  expect(changes.tools[0]?.more).toBe(20_001 - 50);
});
