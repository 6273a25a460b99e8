import { decodeMcpHeader, mirrorProblem, mirrorsOf } from './mcp-mirrors';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    page: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Page-Size' } } },
    query: { type: 'string', default: { 'x-mcp-header': 'not a schema' } },
  },
};

const withHeaders = (headers: Record<string, string>) => (name: string) => headers[name];

describe('which arguments are mirrored', () => {
  it('finds annotated primitive properties at any level', () => {
    expect(mirrorsOf(schema)).toEqual([
      { path: ['region'], header: 'mcp-param-region', isInteger: false },
      { path: ['page', 'size'], header: 'mcp-param-page-size', isInteger: true },
    ]);
  });

  const invalid: [string, unknown][] = [
    ['in a list', { properties: { a: { items: { type: 'string', 'x-mcp-header': 'A' } } } }],
    ['behind a choice', { anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }] }],
    ['in a definition', { $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } }],
    ['at the top', { type: 'string', 'x-mcp-header': 'A' }],
    ['of a number', { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    ['of an object', { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    ['that is empty', { properties: { a: { type: 'string', 'x-mcp-header': '' } } }],
    ['with a line break', { properties: { a: { type: 'string', 'x-mcp-header': 'A\r\nB' } } }],
    [
      'used twice',
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ];
  it.each(invalid)('finds none when an annotation is %s', (_name, bad) => {
    expect(mirrorsOf(bad)).toEqual([]);
  });
});

describe('headers against arguments', () => {
  const mirrors = mirrorsOf(schema);

  it('accepts what repeats the value, encoded or not, and integers by number', () => {
    const args = { region: 'Zürich', page: { size: 42 } };
    const headers = { 'mcp-param-region': '=?base64?WsO8cmljaA==?=', 'mcp-param-page-size': '42.0' };
    expect(mirrorProblem(mirrors, args, withHeaders(headers))).toBeUndefined();
  });

  it('expects no header for a value that is absent or null', () => {
    expect(mirrorProblem(mirrors, { region: null }, withHeaders({}))).toBeUndefined();
  });

  it.each([
    ['missing', {}],
    ['another value', { 'mcp-param-region': 'us' }],
    ['not Base64', { 'mcp-param-region': '=?base64?***?=' }],
    ['not UTF-8', { 'mcp-param-region': '=?base64?/w==?=' }],
    ['not ASCII', { 'mcp-param-region': 'eu\u00e9' }],
  ])('refuses a header that is %s', (_name, headers: Record<string, string>) => {
    expect(mirrorProblem(mirrors, { region: 'eu' }, withHeaders(headers))).toContain('mcp-param-region');
  });
});

describe('header text', () => {
  it.each([
    ['plain', 'plain'],
    ['=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=', '=?base64?literal?='],
    ['=?BASE64?cGxhaW4=?=', '=?BASE64?cGxhaW4=?='],
    ['=?base64?cGxhaW4?=', undefined],
  ])('%s reads %s', (sent, text) => {
    expect(decodeMcpHeader(sent)).toBe(text);
  });
});
