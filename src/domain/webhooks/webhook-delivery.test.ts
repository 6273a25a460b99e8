import { retryAfterMs } from './webhook-delivery';

const NOW = Date.parse('2026-11-25T10:00:00Z');

it.each([
  [429, '3600', 3_600_000],
  [503, ' 7 ', 7_000],
  [503, 'Wed, 25 Nov 2026 10:05:00 GMT', 300_000],
  [503, 'Wed, 25 Nov 2026 09:00:00 GMT', 0],
  [429, '999999999', 36_000_000],
  [429, '0', 0],
  [429, '-5', 0],
  [429, '1.5', 0],
  [429, 'soon', 0],
  [429, '', 0],
  [429, undefined, 0],
  [500, '3600', 0],
  [null, '3600', 0],
])('%s with Retry-After %j asks for a pause of %d ms', (status, header, pauseMs) => {
  expect(retryAfterMs(status, header, NOW)).toBe(pauseMs);
});
