import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor';

const PATTERNS = [/^[0-9]+$/, /^agt_[a-z]+$/];

it('gives back the position, for the query that it belongs to only', () => {
  const cursor = encodeCursor('newest', ['17', 'agt_a']);
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(decodeCursor('newest', cursor, PATTERNS)).toEqual(['17', 'agt_a']);
  expect(decodeCursor('cheapest', cursor, PATTERNS)).toBeUndefined();
});

it('refuses positions of another form', () => {
  for (const position of [['17'], ['17', 'agt_a', 'x'], ['x', 'agt_a'], ['17', 'agt_1; DROP']]) {
    expect(decodeCursor('q', encodeCursor('q', position), PATTERNS)).toBeUndefined();
  }
});

it('never throws for a cursor from a client', () => {
  const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
  fc.assert(
    fc.property(fc.oneof(fc.string(), json), (cursor) => {
      expect(decodeCursor('q', cursor, PATTERNS)).toBeUndefined();
    }),
  );
});
