import {
  getBalanceAlert,
  getMailSettings,
  getWaiting,
  listNotices,
  markNoticesRead,
  setBalanceAlert,
  setMailSettings,
} from '../../contract/account-notices';
import type { MailSettingsService } from '../../services/accounts/notice-mails';
import type { AccountNotices } from '../../services/operations/account-notices';
import { idPosition, listPage } from '../requests/list-page';
import { accountNoticeView } from '../views/accounts';
import type { RouteBinder } from '../binding/route';

export interface AccountNoticeRouteDeps {
  accountNotices: AccountNotices;
  mailSettings: MailSettingsService;
}

const NOTICE_POSITION = idPosition('ntc');

/** /v1/notices: what people should know of their account, read and unread, and the mails about it. */
export function accountNoticeRoutes(binder: RouteBinder, deps: AccountNoticeRouteDeps): void {
  const { accountNotices, mailSettings } = deps;
  binder.bind(listNotices, ({ query, principal: { userId } }) => {
    const unread = query.unread === 'true';
    return listPage(
      { list: ['notices', userId, String(unread)], position: NOTICE_POSITION, query },
      ([beforeId], limit) => accountNotices.list({ userId, unread, beforeId, limit }),
      { position: ({ noticeId }) => [noticeId], view: accountNoticeView },
    );
  });

  binder.bind(getWaiting, ({ principal: { userId, role } }) =>
    accountNotices.waiting(userId, role === 'operator'),
  );

  binder.bind(markNoticesRead, async ({ body, principal: { userId, role } }) => {
    await accountNotices.markRead(userId, body.notice_ids);
    return accountNotices.waiting(userId, role === 'operator');
  });

  binder.bind(getBalanceAlert, async ({ principal: { userId } }) => ({
    below_credits: await mailSettings.balanceAlert(userId),
  }));

  binder.bind(setBalanceAlert, async ({ body, principal: { userId } }) => {
    await mailSettings.setBalanceAlert(userId, body.below_credits);
    return { below_credits: await mailSettings.balanceAlert(userId) };
  });

  binder.bind(getMailSettings, ({ principal: { userId } }) => mailSettings.of(userId));

  binder.bind(setMailSettings, async ({ body, principal: { userId } }) => {
    await mailSettings.set(userId, body);
    return mailSettings.of(userId);
  });
}
