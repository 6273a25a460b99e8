import { createHash } from 'node:crypto';
import { apiKeyHint, apiKeySha256, isApiKey, newApiKey } from './api-key-format';

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  it('is amk_live_, 30 random and 6 checksum characters', () => {
    const keys = Array.from({ length: 1_000 }, newApiKey);
    expect(keys.every((key) => /^amk_live_[0-9A-Za-z]{36}$/.test(key))).toBe(true);
    expect(keys.every(isApiKey)).toBe(true);
    expect(new Set(keys.map((key) => key.slice(9, 39))).size).toBe(1_000);
  });

  it('uses every character about as often', () => {
    const drawn = Array.from({ length: 2_000 }, () => newApiKey().slice(9, 39)).join('');
    const expected = drawn.length / CHARACTERS.length;
    for (const character of CHARACTERS) {
      const times = drawn.split(character).length - 1;
      expect(Math.abs(times - expected)).toBeLessThan(6 * Math.sqrt(expected));
    }
  });

  it('is recognized as invalid when any one character is changed', () => {
    const key = newApiKey();
    for (let at = 9; at < key.length; at += 1) {
      for (const character of CHARACTERS) {
        if (character === key[at]) continue;
        expect(isApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }
    }
  });

  it('is recognized as invalid when it is cut, longer, of another case or something else', () => {
    const key = newApiKey();
    const wrong = [
      '',
      'amk_live_',
      key.slice(0, -1),
      key.slice(1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      `${key}, ${key}`,
    ];
    const others = [
      key.replace('amk_live_', 'amk_test_'),
      key.toUpperCase(),
      'x'.repeat(45),
      `amk_live_${'é'.repeat(36)}`,
    ];
    for (const text of [...wrong, ...others]) expect(isApiKey(text)).toBe(false);
  });

  it('is stored as its SHA-256 and shown by its last four characters', () => {
    const key = newApiKey();
    expect(apiKeySha256(key).toString('hex')).toBe(createHash('sha256').update(key).digest('hex'));
    expect(apiKeyHint(key)).toBe(key.slice(-4));
  });

  it('has a checksum that others can compute: the CRC-32 of what is before it, in base62', () => {
    // zlib.crc32(b'amk_live_' + b'A' * 30) of Python is 1265183365
    expect(isApiKey('amk_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1NcZzJ')).toBe(true);
  });
});
