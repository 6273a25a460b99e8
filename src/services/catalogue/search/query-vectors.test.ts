import { createQueryVectors } from './query-vectors';

const VECTOR = Int8Array.of(1, 2);

function endpoint() {
  const state = {
    answer: (): Promise<Int8Array[]> => Promise.resolve([VECTOR]),
    asked: [] as string[],
    nowMs: 1_000,
  };
  const embed = (texts: readonly string[]) => {
    state.asked.push(...texts);
    return state.answer();
  };
  return { state, vectors: createQueryVectors({ model: 'm', embed }, () => state.nowMs) };
}

it('asks once for the same query', async () => {
  const { state, vectors } = endpoint();
  expect(await Promise.all([vectors.of('Legal advice '), vectors.of('legal advice')])).toEqual([
    VECTOR,
    VECTOR,
  ]);
  expect(state.asked).toEqual(['legal advice']);
});

it('does without the vector when the endpoint fails, stops asking after three failures, and tries again later', async () => {
  const { state, vectors } = endpoint();
  state.answer = () => Promise.reject(new Error('down'));
  for (const query of ['a', 'b', 'c', 'd', 'e']) expect(await vectors.of(query)).toBeUndefined();
  expect(state.asked).toEqual(['a', 'b', 'c']);
  state.nowMs += 30_001;
  state.answer = () => Promise.resolve([VECTOR]);
  expect(await vectors.of('f')).toBeUndefined();
  expect(await vectors.of('f')).toEqual(VECTOR);
  expect(await vectors.of('a')).toEqual(VECTOR);
});

it('waits for a slow endpoint for a bounded time, and keeps what comes late', async () => {
  const { state, vectors } = endpoint();
  let answer: (found: Int8Array[]) => void = () => undefined;
  state.answer = () => new Promise((resolve) => (answer = resolve));
  const from = performance.now();
  expect(await vectors.of('slow')).toBeUndefined();
  expect(performance.now() - from).toBeLessThan(1_000);
  state.nowMs += 1_000;
  answer([VECTOR]);
  expect(await vectors.of('slow')).toEqual(VECTOR);
  // Three that are late count as lost, before they fail.
  for (const query of ['slower', 'slowest']) expect(await vectors.of(query)).toBeUndefined();
  expect(await vectors.of('next')).toBeUndefined();
  expect(state.asked).toEqual(['slow', 'slower', 'slowest']);
});
