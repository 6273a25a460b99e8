import type { VerbGroup } from './verb-groups';

/** The verbs that work on the database or on Temporal. They are in a clone and in the image, not in the package. */
export const DATABASE_GROUPS: readonly VerbGroup[] = [
  {
    role: 'database',
    names: ['operator'],
    load: async () => (await import('./verbs/operator-database.js')).operatorDatabaseVerbs,
  },
  { role: 'database', names: ['keys'], load: async () => (await import('./verbs/keys.js')).keyVerbs },
  {
    role: 'database',
    names: ['ledger'],
    load: async () => (await import('./verbs/ledger-database.js')).ledgerDatabaseVerbs,
  },
  {
    role: 'database',
    names: ['backup', 'restore'],
    load: async () => (await import('./verbs/backup.js')).backupVerbs,
  },
  {
    role: 'database',
    names: ['evidence'],
    load: async () => (await import('./verbs/evidence.js')).evidenceVerbs,
  },
  {
    role: 'database',
    names: ['advisories'],
    load: async () => (await import('./verbs/advisories.js')).advisoryVerbs,
  },
  {
    role: 'database',
    names: ['verify', 'rubric'],
    load: async () => (await import('./verbs/verification.js')).verificationVerbs,
  },
  {
    role: 'database',
    names: ['time-travel'],
    load: async () => (await import('./verbs/time-travel.js')).timeTravelVerbs,
  },
];
