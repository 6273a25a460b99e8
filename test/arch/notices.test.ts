/** The database writes notices of the types for which the service has sentences, and of no other (ADR 0291). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICE_TYPES } from '../../src/domain/webhooks/account-notice';

it('writes a notice of each type that has a sentence', () => {
  const file = join(__dirname, '../../migrations/functions/webhooks/notice_record.sql');
  const types = /NOT IN \(([^)]*)\)/.exec(readFileSync(file, 'utf8'))?.[1]?.match(/[a-z_]+\.[a-z_]+/g) ?? [];
  expect([...types].sort()).toEqual([...NOTICE_TYPES].sort());
});
