import { parseJson, parseJsonWithComments, parseToml, parseYaml } from './config-files';
import { licenceChoices } from './licence-expression';
import { nestsDeeper } from './nesting';

/** `open` and `close` around a value so many times. */
const nested = (levels: number, open: string, close: string, value = '1') =>
  open.repeat(levels) + value + close.repeat(levels);

const DIALECTS: [dialect: string, parse: (text: string) => unknown, text: (levels: number) => string][] = [
  ['lists of JSON', parseJson, (levels) => nested(levels, '[', ']')],
  ['objects of JSON', parseJson, (levels) => nested(levels, '{"a":', '}')],
  ['JSON with comments', parseJsonWithComments, (levels) => `/* a */${nested(levels, '[', ',]')}`],
  ['lists of YAML', parseYaml, (levels) => nested(levels, '[', ']')],
  ['maps in lists of YAML', parseYaml, (levels) => nested(levels / 2, '[{a: ', '}]')],
  ['items of YAML in one line', parseYaml, (levels) => `${'- '.repeat(levels)}1`],
  ['indented YAML', parseYaml, (levels) => Array.from({ length: levels }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['lists of TOML', parseToml, (levels) => `a = ${nested(levels, '[', ']')}`],
  ['tables of TOML', parseToml, (levels) => `a = ${nested(levels, '{ b = ', ' }')}`],
  ['dotted keys of TOML', parseToml, (levels) => `${'a.'.repeat(levels)}a = 1`],
  ['quoted keys of TOML', parseToml, (levels) => `${'"a" . '.repeat(levels)}a = 1`],
  ['headers of TOML', parseToml, (levels) => `[${'a.'.repeat(levels)}a]`],
  ['keys of tables of TOML', parseToml, (levels) => `a = { ${'a.'.repeat(levels)}a = 1 }`],
]; // prettier-ignore

describe.each(DIALECTS)('%s', (_dialect, parse, text) => {
  it('may nest 40 levels', () => expect(parse(text(40))).toBeDefined());

  it.each([110, 10_000, 500_000])('are refused at %d levels', (levels) => {
    // A text that is indented for each level grows with the square of its levels.
    expect(parse(text(text(1_000).length > 100_000 ? Math.min(levels, 2_000) : levels))).toBeUndefined();
  });
});

it.each(['? ', ': ', '- - ', '- ? ', '[{? '])('refuses YAML of many %j', (part) => {
  expect(parseYaml(part.repeat(200_000))).toBeUndefined();
});

it('counts no brackets in strings and comments', () => {
  const quoted = JSON.stringify({ a: nested(500, '[', ''), b: '\\"[['.repeat(200) });
  expect(parseJson(quoted)).toBeDefined();
  expect(
    parseToml(`# ${'['.repeat(500)}\na = '${'['.repeat(500)}'\nb = """\n${'['.repeat(500)}"""\n`),
  ).toBeDefined();
  expect(parseToml(`a = 'it''s'`)).toBeUndefined();
});

it('is not misled by strings that a bracket seems to end', () => {
  expect(nestsDeeper(nested(500, '["]",', ']'), 100, 'json')).toBe(true);
  expect(nestsDeeper(nested(500, "[']',", ']'), 100, 'toml')).toBe(true);
  expect(nestsDeeper(nested(500, '[#]\n', ']'), 100, 'toml')).toBe(true);
  expect(nestsDeeper('[],'.repeat(500), 100, 'json')).toBe(false);
});

it('refuses licences with many parentheses', () => {
  expect(licenceChoices(nested(10, '(', ')', 'MIT'))).toEqual([['MIT']]);
  expect(licenceChoices(nested(250, '(', ')', 'MIT'))).toBeUndefined();
});

it('reads YAML with several documents, and refuses equal keys, merge marks and unterminated values', () => {
  expect(parseYaml('---\na: 1\n---\nb: 2\n')).toEqual([{ a: 1 }, { b: 2 }]);
  for (const text of [
    'a: 1\na: 2\n',
    '<<<<<<< HEAD\na: 1\n',
    'a: [',
    'a: "',
    'a: 1\n\tb: 2\n',
    '---\n'.repeat(200),
  ])
    expect(parseYaml(text)).toBeUndefined();
});

it('resolves aliases without copies, and no merge keys', () => {
  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((name, at) => `${name}: &${name} [${`*${'abcdefghijklmnopqrstuvwxyz'.charAt(at)}, `.repeat(9)}]`),
  ];
  expect(parseYaml(bomb.join('\n'))).toHaveLength(1);
  expect(parseYaml('a: &a {x: 1}\nb: {<<: *a}\n')).toEqual([{ a: { x: 1 }, b: { '<<': { x: 1 } } }]);
});

it('reads JSON with comments and commas, and keeps them in strings', () => {
  const text = '{ // one\n"a": "/* no */ // no, ]", /* two */ "b": [1, 2, ], "c": "\\"," , }';
  expect(parseJsonWithComments(text)).toEqual({ a: '/* no */ // no, ]', b: [1, 2], c: '",' });
  for (const wrong of ['{"a":tr/**/ue}', '{"a":1,,}', '{"a" "b"}', '/* open', '"', '{"a":1 /'])
    expect(parseJsonWithComments(wrong)).toBeUndefined();
});
