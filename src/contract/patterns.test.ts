import { sentenceOfFormat, sentenceOfPattern } from '../domain/form-rules';
import { operations } from './operations';

/** Every schema in a value. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(schemasIn)];
}

const requests = operations.flatMap(({ params, query, body }) => schemasIn([params, query, body]));

function wordsOf(keyword: 'pattern' | 'format'): string[] {
  const found = requests.map((schema) => schema[keyword]);
  return [...new Set(found.filter((word) => typeof word === 'string'))];
}

it.each(wordsOf('pattern'))('the pattern %s has a sentence, which shows no pattern', (pattern) => {
  expect(sentenceOfPattern(pattern)).toMatch(/^must [^\\[\]^$]+$/);
});

it.each(wordsOf('format'))('the format %s has a sentence', (format) => {
  expect(sentenceOfFormat(format)).toMatch(/^must /);
});
