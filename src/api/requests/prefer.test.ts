import { asyncPreferenceOf } from './prefer';

const waited = (prefer: string | undefined) => {
  const preference = asyncPreferenceOf({ get: (() => prefer) as never });
  return preference && [preference.waitMs, preference.applied];
};

describe('the preference of a caller', () => {
  it.each([
    [undefined],
    [''],
    ['wait=10'],
    ['return=minimal, handling=lenient'],
    ['respond-async=false'],
    ['x="respond-async"'],
    ['x="a, respond-async, b"'],
    ['respond-asynchronously'],
    [',,;=,'],
    ['x="never closed, respond-async'],
    ['x=a"b, respond-async, c"'],
  ])('is no early response in %j', (prefer) => {
    expect(waited(prefer)).toBeUndefined();
  });

  it.each([
    ['respond-async', 0, 'respond-async'],
    [' Respond-Async ; foo="1,2" ', 0, 'respond-async'],
    ['respond-async=""', 0, 'respond-async'],
    ['respond-async, wait=10', 10_000, 'respond-async, wait=10'],
    ['wait = "7" , return=minimal,respond-async', 7_000, 'respond-async, wait=7'],
    ['respond-async, wait=1, wait=2', 1_000, 'respond-async, wait=1'],
    ['respond-async, wait=0', 0, 'respond-async, wait=0'],
    ['respond-async, wait=301', 300_000, 'respond-async, wait=300'],
    ['respond-async, wait=999999999', 300_000, 'respond-async, wait=300'],
    ['respond-async, wait=99999999999999', 0, 'respond-async'],
    ['respond-async, wait=-1', 0, 'respond-async'],
    ['respond-async, wait=1.5', 0, 'respond-async'],
    ['respond-async, wait=soon', 0, 'respond-async'],
  ])('is an early response in %j, after %i ms', (prefer, waitMs, applied) => {
    expect(waited(prefer)).toEqual([waitMs, applied]);
  });
});

it.each([
  ['quotes that are escaped and never closed', `"${'\\"'.repeat(8_000)}`],
  ['backslashes behind a quote', `"${'\\'.repeat(16_000)}`],
  ['empty preferences', ','.repeat(16_000)],
  ['quoted commas', '",",'.repeat(4_000)],
])('is read in the time of its length: %s', (_what, hostile) => {
  const startedAt = performance.now();
  expect(waited(`respond-async, ${hostile}`)).toEqual([0, 'respond-async']);
  expect(performance.now() - startedAt).toBeLessThan(100);
});
