import { toolWords } from './tool-words';

it('has the names and titles of tools, and what describes them and their properties', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      principalAmount: { type: 'number', title: 'Principal', description: 'What is owed.' },
      rates: { type: 'array', items: { properties: { basis: { description: 'In points.' } } } },
      choice: { anyOf: [{ properties: { inner: true, other: { title: 'Deep' } } }] },
    },
  };
  const tool = { name: 'amortizeLoan', title: 'Plan', description: 'Plans payments.', inputSchema };
  const { names, texts } = toolWords([tool, { name: 'x', outputSchema: { properties: { sum: {} } } }]);
  expect(names).toBe('amortizeLoan amortize Loan\nPlan\nx');
  expect(texts.split('\n')).toEqual([
    ...[
      'Plans payments.',
      'principalAmount principal Amount',
      'Principal',
      'What is owed.',
      'rates',
      'choice',
    ],
    ...['basis', 'In points.', 'inner', 'other', 'Deep', 'sum'],
  ]);
});

it('gives each tool a part, and all of them a bounded room', () => {
  const hungry = {
    name: 'a'.repeat(9_000),
    description: 'b '.repeat(90_000),
    inputSchema: { properties: {} },
  };
  const last = { name: 'zebra', description: 'Counts stripes.' };
  expect(toolWords([hungry, last]).texts).toContain('Counts stripes.');
  expect(toolWords([hungry, last]).names).toContain('zebra');
  const many = Array.from({ length: 2_000 }, (_, at) => ({ ...hungry, name: `tool_${at}` }));
  const { names, texts } = toolWords(many);
  expect([names.length <= 8_000, texts.length <= 16_000]).toEqual([true, true]);
});

it.each([
  [
    { name: 7, description: ['x'], inputSchema: 'x', outputSchema: null },
    { names: '', texts: '' },
  ],
  [
    { name: 'a\u0000b\ud800', description: '\udc00' },
    { names: 'a b ', texts: ' ' },
  ],
  [
    { inputSchema: { properties: { ['__proto__']: { title: 'p' }, a: null, b: [] } } },
    { names: '', texts: '__proto__\np\na\nb' },
  ],
])('reads %j without a fault', (tool, words) => {
  expect(toolWords([tool as Record<string, unknown>])).toEqual(words);
});

it('does not follow a schema without end', () => {
  let schema: Record<string, unknown> = { properties: { end: { title: 'far' } } };
  for (let depth = 0; depth < 5_000; depth += 1) schema = { properties: { p: schema } };
  const wide = { anyOf: Array.from({ length: 100_000 }, () => schema) };
  expect(toolWords([{ inputSchema: schema }, { inputSchema: wide }]).texts).not.toContain('far');
});
