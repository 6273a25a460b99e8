import { isA2aJson, isJsonUtf8, readMediaType } from './body';

it.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; charset = utf-8',
  'application/json; charset=us-ascii',
  'application/json;charset="utf8";',
  'application/json; profile="x"',
  'application/json; profile="a;b=\\"c\\""; charset=utf-8',
  'application/json;odata=verbose',
  'application/json;odata.metadata=minimal;IEEE754Compatible=true',
  'application/vnd.example.v2+json',
  'application/ld+json; profile="http://www.w3.org/ns/json-ld#compacted"',
])('reads %s as JSON', (type) => {
  expect(isJsonUtf8(type)).toBe(true);
});

it.each([
  undefined,
  '',
  'json',
  'text/json',
  'text/plain',
  'application/json5',
  'application/jsonp',
  'application/json-seq',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/+json',
  'application/json, application/json',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; charset="utf-8',
  'application/json; =utf-8',
  'application/json utf-8',
])('does not read %s as JSON in UTF-8', (type) => {
  expect(isJsonUtf8(type)).toBe(false);
});

it('knows the two types of A2A', () => {
  const types = [
    'application/json;a=b',
    'application/A2A+json; charset=utf-8',
    'application/x+json',
    'application/json-patch+json',
  ];
  expect(types.map(isA2aJson)).toEqual([true, true, false, false]);
});

it('reads a long header in time that grows with its length', () => {
  const begun = performance.now();
  readMediaType(`application/json${'; a="\\"'.repeat(200_000)}`);
  readMediaType(`application/json${' '.repeat(1_000_000)}x`);
  readMediaType(`application/json;${'a'.repeat(1_000_000)}`);
  expect(performance.now() - begun).toBeLessThan(1_000);
});
