import { createReplicaFreshness, parsePosition } from './replica-freshness';

it('orders positions of the log by both halves', () => {
  expect(parsePosition('0/FFFFFFFF')).toBeLessThan(parsePosition('1/0'));
  expect(parsePosition('16/B374D848')).toBe(0x16b374d848n);
  for (const text of ['', '16', '16/', 'x/1', '123456789/1']) expect(() => parsePosition(text)).toThrow();
});

it('is as far behind as its oldest missing position', () => {
  const freshness = createReplicaFreshness();
  expect(freshness.behindMs(1_000)).toBe(0);
  freshness.primaryAt(1_000, '0/10');
  freshness.primaryAt(2_000, '0/20');
  expect(freshness.behindMs(3_000)).toBe(2_000);
  freshness.replicaAt('0/10');
  expect(freshness.behindMs(3_000)).toBe(1_000);
  freshness.replicaAt('0/30');
  expect(freshness.behindMs(9_000)).toBe(0);
});

it('does not fall behind while nothing is written', () => {
  const freshness = createReplicaFreshness();
  freshness.replicaAt('0/10');
  for (let atMs = 0; atMs < 60_000; atMs += 1_000) freshness.primaryAt(atMs, '0/10');
  expect(freshness.behindMs(60_000)).toBe(0);
});

it('keeps the oldest of many missing positions', () => {
  const freshness = createReplicaFreshness();
  for (let at = 0; at < 1_000; at += 1) freshness.primaryAt(at, `1/${at.toString(16)}`);
  expect(freshness.behindMs(1_000)).toBe(1_000);
});
