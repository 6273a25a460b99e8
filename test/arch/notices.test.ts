/** The database writes notices of the types for which the service has sentences, and of no other (ADR 0291). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageOfNotice } from '../../console/src/features/shell/notice-page';
import { NOTICE_TYPES, subjectOfNotice } from '../../src/domain/webhooks/account-notice';
import { mailOfNotices } from '../../src/domain/webhooks/notice-mail';

it('writes a notice of each type that has a sentence', () => {
  const file = join(__dirname, '../../migrations/functions/webhooks/notice_record.sql');
  const types = /NOT IN \(([^)]*)\)/.exec(readFileSync(file, 'utf8'))?.[1]?.match(/[a-z_]+\.[a-z_]+/g) ?? [];
  expect([...types].sort()).toEqual([...NOTICE_TYPES].sort());
});

it.each(NOTICE_TYPES)('links to the same page from the mail and from the console about %s', (type) => {
  const subjects = [
    {},
    { dispute_id: 'dsp_1' },
    { slash_id: 'slh_1' },
    { payout_id: 'pay_1' },
    { agent_id: 'agt_a_v1' },
    { budget_id: 'bgt_1' },
    { key_id: 'key_1' },
  ];
  for (const data of subjects) {
    const mail = mailOfNotices('https://market.example', [{ type, data, isReminder: false }]);
    const page = pageOfNotice({ type, subject_id: subjectOfNotice(data) }) ?? '/notices';
    expect(mail?.text).toContain(`\n  https://market.example/console${page}\n`);
  }
});
