import fc from 'fast-check';
import { canonicalJson, sha256Hex } from './canonical-json';

describe('canonicalJson (RFC 8785)', () => {
  it('sorts members by UTF-16 code units at every level', () => {
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], a: '€', ﬀ: 0, '😀': 1 })).toBe(
      '{"a":"€","b":[{"a":2,"z":1}],"😀":1,"ﬀ":0}',
    );
  });

  it("writes the RFC's example numbers and strings", () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    ) as unknown;
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('gives the same text for the same value however it was built', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const again: unknown = JSON.parse(canonicalJson(value));
        expect(canonicalJson(again)).toBe(canonicalJson(value));
      }),
    );
  });
});

it('hashes with SHA-256', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
