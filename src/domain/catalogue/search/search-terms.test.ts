import { searchTerms } from './search-terms';

it.each([
  ['invoice', { wanted: 'invoice', excluded: null, parts: ['invoice'], words: '' }],
  ['it', { wanted: 'it', excluded: null, parts: [], words: '' }],
  ['IT help', { wanted: 'IT help', excluded: null, parts: ['help'], words: 'it' }],
  ['C++', { wanted: 'C++', excluded: null, parts: ['c++'], words: '' }],
  ['翻译', { wanted: '翻译', excluded: null, parts: ['翻译'], words: '' }],
  ['Ｃ＃', { wanted: 'Ｃ＃', excluded: null, parts: ['c#'], words: '' }],
  ['"scanned invoices" pdf', { wanted: '"scanned invoices" pdf', excluded: null, parts: ['scanned invoices', 'pdf'], words: '' }],
  ['invoice -french', { wanted: 'invoice', excluded: 'french', parts: ['invoice'], words: '' }],
  ['invoice -"in french"', { wanted: 'invoice', excluded: '"in french"', parts: ['invoice'], words: '' }],
  ['-french', { wanted: null, excluded: 'french', parts: [], words: '' }],
  ['lint or help', { wanted: 'lint or help', excluded: null, parts: [], words: '' }],
  [`'":*&|!()<->`, { wanted: `'":*&|!()<->`, excluded: null, parts: [], words: '' }],
  ['- -- "', { wanted: '"', excluded: null, parts: [], words: '' }],
  ['well-known', { wanted: 'well-known', excluded: null, parts: ['well-known'], words: '' }],
])('reads %j', (query, terms) => {
  expect(searchTerms(query)).toMatchObject(terms);
}); // prettier-ignore

it.each([
  ['markdwon', ['markdwon']],
  ['it markdwon', ['markdwon']],
  ['pdf table extractor', ['table', 'extractor']],
  ['"scanned invoices" fast', ['fast']],
  ['lint or help', []],
  ['-markdwon', []],
  ['Überetzung', ['überetzung']],
  ['well-knwon.pdf', ['well', 'knwon']],
  ['التحليل', ['التحليل']],
  ['翻译契约文件 markdwon', []],
  ['aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii', ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee', 'ffff', 'gggg', 'hhhh']],
])('may find words near %j', (query, near) => {
  expect(searchTerms(query).near).toEqual(near);
}); // prettier-ignore

it.each([
  ['agt_unit_converter_v1', 'agt_unit_converter_v1', ['unit-converter']],
  [' AGT_Unit_Converter_v12 ', 'agt_unit_converter_v12', ['unit-converter']],
  ['agt_unit_conv', null, ['unit-conv']],
  ['agt_unit_converter_v', null, ['unit-converter']],
  ['agt_', null, ['agt_']],
  ['dev_ada-lovelace', null, ['dev_ada-lovelace']],
])('reads the id %j', (query, agentId, parts) => {
  expect(searchTerms(query)).toMatchObject({ agentId, parts });
});
