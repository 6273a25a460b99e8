/** Tests wait for what becomes true. Where time is the subject, `realTime` says so (test/support/waits.ts). */
export const WAITS_OF_TESTS =
  'Wait for what becomes true (eventually), or say why time has to pass (realTime).';
/** A regular expression in an expected object matches every text, because it has no keys of its own. */
const MATCHES_ALL = {
  selector:
    'CallExpression[callee.property.name=/^(toMatchObject|objectContaining)$/] :matches(Property, ArrayExpression) > Literal[regex]',
  message: 'Use expect.stringMatching: a regular expression in an expected object matches every text.',
};
/** Syntax that tests may not have. */
export const syntaxOfTests = [
  MATCHES_ALL,
  {
    selector:
      ':matches(CallExpression[callee.name="setTimeout"], CallExpression[callee.object.name=/^(global|globalThis|timers)$/][callee.property.name="setTimeout"])',
    message: WAITS_OF_TESTS,
  },
];
