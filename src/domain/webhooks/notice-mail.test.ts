import { NOTICE_TYPES } from './account-notice';
import { MAIL_TOPICS, mailOfNotices, topicOf } from './notice-mail';

const ORIGIN = 'https://market.example';
const mailOf = (type: string, data: object, isReminder = false) =>
  mailOfNotices(ORIGIN, [{ type, data: { ...data }, isReminder }]);

it.each(NOTICE_TYPES)(
  'a mail about %s has a subject, a link and a topic, whatever the data lacks',
  (type) => {
    const mail = mailOf(type, {});
    expect(mail?.subject).toMatch(/^[A-Z][^.]{5,80}$/);
    expect(mail?.text).toMatch(/^ {2}https:\/\/market\.example\/console\/\S+$/m);
    expect(mail?.text).toContain('You can turn off these mails: https://market.example/console/account');
    expect(MAIL_TOPICS).toContain(topicOf(type));
  },
);

it('says until when an account can act, and on which page', () => {
  const data = {
    dispute_id: 'dsp_1',
    agent_id: 'agt_a_v1',
    status: 'open',
    respond_by: '2026-11-05T09:12:44.000Z',
  };
  const about =
    'A buyer disputes a call of agt_a_v1. Without an answer of yours, it is accepted. Answer by 5 November 2026, 09:12 UTC, ' +
    'or the call is refunded.\n  https://market.example/console/disputes/dsp_1\n';
  expect(mailOf('dispute.opened', data)?.text.startsWith(about)).toBe(true);
  const reminder = mailOf('dispute.opened', data, true);
  expect(reminder?.subject).toBe('Less than a day is left: A buyer disputes a call of your agent');
  expect(reminder?.text.startsWith(`Less than a day is left. ${about}`)).toBe(true);
});

it('there is no mail about a type that this release does not know', () => {
  expect(mailOf('agent.renamed', {})).toBeUndefined();
});
