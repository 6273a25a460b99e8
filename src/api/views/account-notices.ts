import { noticeText, subjectOfNotice } from '../../domain/webhooks/account-notice';
import type { AccountNotice } from '../../services/operations/account-notices';

export function accountNoticeView({ noticeId, type, data, at, isRead }: AccountNotice) {
  return {
    notice_id: noticeId,
    type,
    message: noticeText(type, data),
    subject_id: subjectOfNotice(data),
    read: isRead,
    created_at: at.toISOString(),
  };
}
