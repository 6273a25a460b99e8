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
  expect(searchTerms(query)).toEqual(terms);
}); // prettier-ignore
