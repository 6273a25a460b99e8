import type { Command } from 'commander';
import { groupOf, verb } from '../command-line';
import { usageFailure } from '../failure';

/** Verbs that work on the database or on Temporal, which only a clone and the image have, by their first word. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  ledger: ['check', 'digests', 'archive', 'account', 'trace', 'detach'],
  keys: ['status', 'rotate'],
  evidence: ['rotate'],
  advisories: ['import'],
  rubric: ['diff'],
  backup: [],
  restore: [],
  'time-travel': [],
};

/** The group of these verbs in the package, where each says where it is instead of being unknown. */
export const CLONE_ONLY = {
  role: 'database',
  names: Object.keys(VERBS),
  load: () => Promise.resolve(cloneOnlyVerbs),
} as const;

function cloneOnlyVerbs(program: Command): void {
  for (const [first, words] of Object.entries(VERBS)) {
    if (words.length === 0) refuse(program.command(first, { hidden: true }));
    else for (const word of words) refuse(groupOf(program, first).command(word, { hidden: true }));
  }
}

function refuse(command: Command): void {
  const where =
    'this verb works on the database, so it is in a clone of the marketplace (npx market) and in its image ' +
    '(node dist/cli/market.js), not in this package';
  command
    .argument('[words...]')
    .allowUnknownOption()
    .action(verb(() => Promise.reject(usageFailure(where))));
}
