import { isNoticeType, NOTICE_TYPES, noticeText } from './account-notice';

it.each(NOTICE_TYPES)('has a sentence for %s, whatever the data lacks', (type) => {
  expect(isNoticeType(type)).toBe(true);
  expect(noticeText(type, {})).toMatch(/\.$/);
});

it.each(['agent.renamed', 'toString', ''])('does not know the type "%s"', (type) => {
  expect(isNoticeType(type)).toBe(false);
});
