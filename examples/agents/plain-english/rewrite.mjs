/** Rewrites the last message in plain words, and streams it sentence by sentence, as an editor would hand it over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../serve.mjs';
import { PLAIN_PHRASES, PLAIN_WORDS } from './words.mjs';

const MAX_LENGTH = 20_000;
/** Between two sentences, so that a reader can follow. */
const PAUSE_MS = 120;
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const PHRASES = PLAIN_PHRASES.map(([long, short]) => [
  new RegExp(`\\b${long.replaceAll(' ', '\\s+')}\\b`, 'gi'),
  short,
]);
const WORD = /[A-Za-z]+/g;

/**
 * @param {{ messages?: unknown }} input
 * @param {number} pauseMs
 */
export async function* rewrite({ messages }, pauseMs = PAUSE_MS) {
  const text = textOf(messages);
  for (const { segment } of SENTENCES.segment(text)) {
    yield plain(segment);
    await sleep(pauseMs);
  }
}

function textOf(messages) {
  const content = Array.isArray(messages) ? messages.at(-1)?.content : undefined;
  if (typeof content !== 'string' || content.trim() === '')
    throw new InputError('messages must end with a message whose content is a text.');
  if (content.length > MAX_LENGTH)
    throw new InputError(`The text must have at most ${MAX_LENGTH} characters.`);
  return content;
}

/** The sentence with each long word or phrase replaced; all other characters stay. */
export function plain(sentence) {
  let text = sentence;
  for (const [phrase, short] of PHRASES) text = text.replace(phrase, (found) => cased(found, short));
  return text.replace(WORD, (word) => {
    const short = PLAIN_WORDS.get(word.toLowerCase());
    return short === undefined ? word : cased(word, short);
  });
}

/** The replacement, with a capital where the original has one. */
function cased(original, replacement) {
  const first = original.charAt(0);
  return first === first.toLowerCase()
    ? replacement
    : replacement.charAt(0).toUpperCase() + replacement.slice(1);
}
