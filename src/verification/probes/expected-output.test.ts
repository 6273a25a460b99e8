import { meets } from './expected-output';

const answers = (actual: unknown, output: unknown, tolerance = 0) =>
  meets(Buffer.from(JSON.stringify(actual)), { output, match: 'exact', tolerance });

it.each([
  [1.05, 1, 0.05],
  [0.3, 0.4, 0.1],
  [-0.3, -0.4, 0.1],
  [1e21, 1.1e21, 1e20],
  [1e-7, 3e-7, 2e-7],
  [0, 5e-324, 5e-324],
  [19.99, 19.99, 0],
])('%d is within %d, give or take %d', (actual, expected, tolerance) => {
  expect(answers(actual, expected, tolerance)).toBe(true);
  expect(answers({ a: [actual] }, { a: [expected] }, tolerance)).toBe(true);
});

it.each([
  [1.0500001, 1, 0.05],
  [0.3, 0.4, 0.09999999],
  [1, 1.0000000000000002, 0],
  [1e300, -1e300, 1e300],
])('%d is not within %d, give or take %d', (actual, expected, tolerance) => {
  expect(answers(actual, expected, tolerance)).toBe(false);
});

it('treats composed and decomposed letters as the same text, and other letters as different', () => {
  expect(answers('caf\u00e9', 'cafe\u0301')).toBe(true);
  expect(answers(['e\u0301'], ['\u00e9'])).toBe(true);
  expect(answers('cafe', 'caf\u00e9')).toBe(false);
  expect(answers('\ufb01', 'fi')).toBe(false);
});
