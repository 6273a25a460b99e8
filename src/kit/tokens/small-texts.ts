/**
 * Counts the tokens of small texts in the process (docs/internals/queues.md#tokens-and-schemas). All counters of a
 * process share one vocabulary, loaded on first use.
 */
import { createTimeBudget } from '../concurrency/time-budget';
import { createO200kCounter } from './token-count';
import { countNow } from './token-turns';

/** Total length of the texts. Most take less than a round trip to the thread. */
const SMALL_LENGTH = 2_048;
const MAX_RUN_MS = 5;

let counter: ReturnType<typeof createO200kCounter> | undefined;

/** Loads the vocabulary unless it is loaded. */
export const loadVocabularyHere = () => (counter ??= createO200kCounter());

/** Returns the tokens of each text, or undefined if the thread has to count them. `key` identifies the tenant. */
export function createSmallTexts() {
  const budget = createTimeBudget(MAX_RUN_MS);
  return (key: string, texts: readonly (string | Buffer)[]): number[] | undefined => {
    if (texts.reduce((sum, { length }) => sum + length, 0) > SMALL_LENGTH || budget.isOver(key))
      return undefined;
    const count = loadVocabularyHere();
    return budget.run(key, () =>
      countNow(
        texts.map((text) => text.toString()),
        count,
      ),
    );
  };
}
