import { createVerificationProbes, type VerificationProbeDeps } from './verification-probes';

/** A turn needs no call of an agent. */
const NOTHING = {} as VerificationProbeDeps;

/** How long `count` turns take in ms. */
async function msOf(count: number, { turn }: Pick<ReturnType<typeof createVerificationProbes>, 'turn'>) {
  const before = performance.now();
  for (let at = 0; at < count; at += 1) await turn();
  return performance.now() - before;
}

it('lets the calls of one run follow each other at once, and spaces those of many runs by 80 ms at least', async () => {
  const probes = createVerificationProbes(NOTHING);
  expect(await msOf(48, probes)).toBeLessThan(80);
  expect(await msOf(4, probes)).toBeGreaterThan(3 * 80);
});
