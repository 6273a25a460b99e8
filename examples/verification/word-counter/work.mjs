import { InputError } from '../../agents/serve.mjs';

/** @param {Record<string, unknown>} input */
export function work({ text, ...others }) {
  if (typeof text !== 'string' || text === '' || Object.keys(others).length > 0)
    throw new InputError('The input has a text and nothing else.');
  return { words: text.split(/\s+/).filter(Boolean).length, characters: [...text].length };
}
