import { Type } from '@sinclair/typebox';
import { MAIL_TOPICS, type MailTopic } from '../domain/webhooks/notice-mail';
import { NOTICE_TYPES, type NoticeType } from '../domain/webhooks/account-notice';
import { named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Accounts';
const auth = 'session';
const MOST_AT_ONCE = 100;
const ABOUT: Readonly<Record<MailTopic, string>> = {
  agents: 'verifications, findings and the visibility of your agents',
  disputes: 'disputes of your calls and of calls of your agents',
  bond: 'slashes of your bond',
  payouts: 'payouts and tax forms',
  wallet: 'freezes of your wallet, and a low balance',
  budgets: 'budgets and caps that reach 80 % and 100 %',
  keys: 'API keys that expire',
  logins: 'logins from networks that are new to your account',
  webhooks: 'webhooks that were disabled',
  prices: 'prices of agents that you use',
};

const Notice = named(
  'Notice',
  strictObject({
    notice_id: Type.String({ examples: ['ntc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    type: Type.Unsafe<NoticeType>({ type: 'string', enum: NOTICE_TYPES }),
    message: Type.String(),
    subject_id: Nullable(
      Type.String({
        description: 'The dispute, slash, payout, agent, budget, key or webhook that it is about',
      }),
    ),
    read: Type.Boolean(),
    created_at: Timestamp,
  }),
);

const Waiting = named(
  'Waiting',
  strictObject({
    unread: Type.Integer({ description: 'Notices that are not read, at most 1000' }),
    disputes: Type.Integer({
      description: 'Disputes that wait for your answer: of your agents, and of your calls with an offer',
    }),
    slashes: Type.Integer({ description: 'Slashes that wait for your answer' }),
    questions: Type.Integer({ description: 'Calls whose agents have asked you, and wait for your answer' }),
    decisions: Nullable(Type.Integer({ description: 'What waits for an operator; null for others' })),
  }),
);

export const listNotices = defineOperation({
  id: 'listNotices',
  permission: 'view',
  method: 'get',
  path: '/v1/notices',
  tag,
  summary: 'List the notices about your account, newest first',
  description:
    'Notices come from the events about the account. They contain no text that other people wrote. A notice is kept for six ' +
    'months.',
  auth,
  query: strictObject({
    ...pageQuery,
    unread: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description: 'Only unread ones',
      }),
    ),
  }),
  responses: { 200: page(Notice) },
});

export const getWaiting = defineOperation({
  id: 'getWaiting',
  permission: 'view',
  method: 'get',
  path: '/v1/notices/waiting',
  tag,
  summary: 'Count your unread notices, and what waits for you',
  auth,
  responses: { 200: Waiting },
  examples: { response: { unread: 2, disputes: 1, slashes: 0, questions: 1, decisions: null } },
});

export const markNoticesRead = defineOperation({
  id: 'markNoticesRead',
  permission: 'view',
  method: 'post',
  path: '/v1/notices/read',
  tag,
  summary: 'Mark notices as read',
  description: 'Without `notice_ids`, all of them.',
  auth,
  body: strictObject({
    notice_ids: Type.Optional(
      Type.Array(text({ maxLength: 36, pattern: '^ntc_[0-9a-f]{32}$' }), { maxItems: MOST_AT_ONCE }),
    ),
  }),
  responses: { 200: Waiting },
  examples: {
    request: { notice_ids: ['ntc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] },
    response: { unread: 1, disputes: 1, slashes: 0, questions: 1, decisions: null },
  },
});

const MailSettings = named(
  'MailSettings',
  strictObject(
    Object.fromEntries(
      MAIL_TOPICS.map((topic) => [topic, Type.Boolean({ description: `Mails about ${ABOUT[topic]}` })]),
    ) as Record<MailTopic, ReturnType<typeof Type.Boolean>>,
  ),
);
const ALL_MAILS = {
  agents: true,
  disputes: true,
  bond: true,
  payouts: true,
  wallet: true,
  prices: true,
  budgets: true,
  keys: true,
  logins: true,
  webhooks: true,
};
const mailSettings = { path: '/v1/notices/mails', tag, auth } as const;

export const getMailSettings = defineOperation({
  id: 'getMailSettings',
  permission: 'self',
  method: 'get',
  ...mailSettings,
  summary: 'Get about which notices your account gets mails',
  responses: { 200: MailSettings },
  examples: { response: ALL_MAILS },
});

export const setMailSettings = defineOperation({
  id: 'setMailSettings',
  permission: 'self',
  method: 'put',
  ...mailSettings,
  summary: 'Set about which notices your account gets mails',
  description:
    'Topics that are left out stay. Each notice is one mail, with its deadline and a link to the page where you can act. After five of them in 24 hours, ' +
    'further ones come in one mail a day. What you can answer until a deadline is mailed again a day before it. Mails ' +
    'about changes of the account itself, such as a new password or payout method, cannot be turned off.',
  body: named(
    'MailSettingsChange',
    Type.Partial(Type.Object(MailSettings.properties), { additionalProperties: false }),
  ),
  responses: { 200: MailSettings },
  examples: { request: { ...ALL_MAILS, agents: false }, response: { ...ALL_MAILS, agents: false } },
});

const BalanceAlert = named(
  'BalanceAlert',
  strictObject({
    below_credits: Nullable(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Null: no notice' }),
    ),
  }),
);
const balanceAlert = { path: '/v1/notices/balance', tag, auth } as const;

export const getBalanceAlert = defineOperation({
  id: 'getBalanceAlert',
  permission: 'view',
  method: 'get',
  ...balanceAlert,
  summary: 'Get the balance of your wallet below which you get a notice',
  responses: { 200: BalanceAlert },
  examples: { response: { below_credits: 100 } },
});

export const setBalanceAlert = defineOperation({
  id: 'setBalanceAlert',
  permission: 'money',
  method: 'put',
  ...balanceAlert,
  summary: 'Set the balance of your wallet below which you get a notice',
  description:
    'A notice, and a mail if `wallet` is on, comes once when the wallet falls below it, and again only after it has held as much.',
  body: BalanceAlert,
  responses: { 200: BalanceAlert },
  examples: { request: { below_credits: 100 }, response: { below_credits: 100 } },
});

export const accountNoticeOperations = [
  getBalanceAlert,
  setBalanceAlert,
  listNotices,
  getWaiting,
  markNoticesRead,
  getMailSettings,
  setMailSettings,
];
