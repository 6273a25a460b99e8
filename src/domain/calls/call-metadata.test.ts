import { isMetadata, isSameMetadata } from './call-metadata';

it.each([[{}], [{ project: 'x' }], [{ 'a.b-c_d': 'ein Wert = mit Zeichen ü' }], [{ '1': 'x'.repeat(100) }]])(
  'takes %j',
  (value) => expect(isMetadata(value)).toBe(true),
);

it.each([
  [null],
  [[]],
  ['project=x'],
  [{ project: 1 }],
  [{ project: '' }],
  [{ '': 'x' }],
  [{ 'a=b': 'x' }],
  [{ _x: 'x' }],
  [{ ['x'.repeat(41)]: 'x' }],
  [{ project: 'x'.repeat(101) }],
  [{ project: 'a\nb' }],
  [{ project: '\ud800' }],
  [JSON.parse('{"__proto__": "x"}')],
  [Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, 'x']))],
])('refuses %j', (value) => expect(isMetadata(value)).toBe(false));

it('compares pairs without their order', () => {
  expect(isSameMetadata({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
  expect(isSameMetadata({ a: '1' }, { a: '2' })).toBe(false);
  expect(isSameMetadata({ a: '1' }, { b: '1' })).toBe(false);
});
