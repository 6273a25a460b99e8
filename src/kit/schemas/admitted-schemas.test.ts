import { createAdmittedSchemas } from './admitted-schemas';

it('remembers the recently admitted schemas of a developer', () => {
  const admitted = createAdmittedSchemas();
  expect(admitted.has('dev', '{}')).toBe(false);
  admitted.add('dev', '{}');
  expect([admitted.has('dev', '{}'), admitted.has('dev', '[]'), admitted.has('another', '{}')]).toEqual([
    true,
    false,
    false,
  ]);
});

it('keeps developers apart: one with many schemas displaces only its own', () => {
  const admitted = createAdmittedSchemas();
  admitted.add('honest', '{}');
  admitted.add('hostile', '{}');
  for (let n = 0; n < 100; n += 1) admitted.add('hostile', `{"title":"${n}"}`);
  expect([admitted.has('honest', '{}'), admitted.has('hostile', '{}')]).toEqual([true, false]);
});

it('forgets the developer that published longest ago when there are very many', () => {
  const admitted = createAdmittedSchemas();
  for (let n = 0; n < 1_000; n += 1) admitted.add(`dev ${n}`, '{}');
  expect(admitted.has('dev 0', '{}')).toBe(true);
  admitted.add('one more', '{}');
  expect([admitted.has('dev 0', '{}'), admitted.has('dev 1', '{}')]).toEqual([true, false]);
});
