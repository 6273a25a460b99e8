/** Checks a list of identifiers one by one, as a registry asks for: one a second, with its progress in between. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError } from '../serve.mjs';
import { checkIdentifier } from './checks.mjs';

const MOST = 60;
const LONGEST = 64;
const PAUSE_MS = 1_000;

/**
 * @param {{ messages?: unknown }} input
 * @param {number} pauseMs
 */
export async function* audit({ messages }, pauseMs = PAUSE_MS) {
  const identifiers = identifiersOf(messages);
  let wrong = 0;
  for (const [at, identifier] of identifiers.entries()) {
    const found = checkIdentifier(identifier);
    if (at > 0 && found) await sleep(pauseMs);
    if (!found?.isValid) wrong += 1;
    yield `${at + 1} of ${identifiers.length}: ${identifier} ${verdictOf(found)}\n`;
  }
  yield wrong === 0 ? 'All of them are right.' : `${wrong} of ${identifiers.length} need a look.`;
}

function verdictOf(found) {
  if (found === undefined) return 'has no form that is known here';
  return `is ${found.isValid ? 'a valid' : 'not a valid'} ${found.kind}`;
}

/** The lines of the last message, each an identifier. */
function identifiersOf(messages) {
  const content = Array.isArray(messages) ? messages.at(-1)?.content : undefined;
  if (typeof content !== 'string') throw new InputError('messages must end with a message that has content.');
  const lines = content
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw new InputError('The message must have an identifier on each line.');
  if (lines.length > MOST) throw new InputError(`The message must have at most ${MOST} identifiers.`);
  return lines.map((line) => line.slice(0, LONGEST));
}
