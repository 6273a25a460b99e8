import { elementsOf, membersOf } from './json-slices';

const parsed = (slices: readonly Buffer[] | undefined) =>
  slices?.map((slice) => JSON.parse(slice.toString()) as unknown);
const members = (text: string) => {
  const found = membersOf(Buffer.from(text));
  return (
    found &&
    Object.fromEntries([...found].map(([key, value]) => [key, JSON.parse(value.toString()) as unknown]))
  );
};

it.each([
  {},
  { text: 'a, "b": {c} \\' },
  { 'k"ey,': [1, { a: [2, '}'] }], b: null, ü: '😀\n' },
  { text: '\\\\"', data: [], files: [{ name: ']' }] },
])('divides the object %j', (value) => {
  expect(members(JSON.stringify(value))).toEqual(value);
  expect(members(JSON.stringify(value, null, 2))).toEqual(value);
});

it.each([[[]], [[1, 'a,b', { c: [','] }]], [[[], [[]], '"']]])('divides the array %j', (value) => {
  expect(parsed(elementsOf(Buffer.from(JSON.stringify(value)), 3))).toEqual(value);
  expect(parsed(elementsOf(Buffer.from(JSON.stringify(value, null, 2)), 3))).toEqual(value);
});

it('leaves other values, and long arrays', () => {
  for (const text of ['1', '"{"', '[1]', 'null', '']) expect(membersOf(Buffer.from(text))).toBeUndefined();
  expect(elementsOf(Buffer.from('{"a": [1]}'), 9)).toBeUndefined();
  expect(elementsOf(Buffer.from('[1, 2, 3]'), 2)).toBeUndefined();
});
