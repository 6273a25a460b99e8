import { isStorable, isStorableJson, toStorable } from './json-value';

const UNSTORABLE = ['a\u0000b', '\ud800', '\udc00x', '\u{1f600}'.slice(1)];
const STORABLE = ['', 'plain', '\u{1f600}', String.raw`\u0000`, String.raw`\ud800 as text`];

describe('text for Postgres', () => {
  it.each(UNSTORABLE)('refuses %j in text, values and names', (text) => {
    expect(isStorable(text)).toBe(false);
    expect(isStorableJson({ list: [1, { text }] })).toBe(false);
    expect(isStorableJson({ [text]: null })).toBe(false);
  });

  it.each(STORABLE)('takes %j in text, values and names', (text) => {
    expect(isStorable(text)).toBe(true);
    expect(isStorableJson({ list: [1, { [text]: text }] })).toBe(true);
  });

  it('replaces characters that cannot be stored', () => {
    expect(UNSTORABLE.map(toStorable)).toEqual(['a\ufffdb', '\ufffd', '\ufffdx', '\ufffd']);
    expect(STORABLE.map(toStorable)).toEqual(STORABLE);
  });
});
