/** The mails of accounts: what each kind says. Texts contain ids and tokens, never text that other people chose. */
export const MAIL_KINDS = [
  'confirm_email',
  'reset_password',
  'password_changed',
  'authenticator_changed',
  'recovery_code_used',
  'payout_method_changed',
  'payout_address_changed',
  'webhook_secret_changed',
  'webhook_url_changed',
  'api_key_created',
  'oauth_grant_created',
  'device_approved',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];
/** A mail that reports a change of an account. */
export type NoticeKind = Exclude<MailKind, 'confirm_email' | 'reset_password'>;

/** Whether a mail reports a change of an account, so that each change is a mail of its own. */
export function isNotice(kind: MailKind): kind is NoticeKind {
  return kind !== 'confirm_email' && kind !== 'reset_password';
}

/** A mail as it is sent. */
export interface MailText {
  subject: string;
  text: string;
}

export const CONFIRMATION_VALID_HOURS = 24;
export const RESET_VALID_MINUTES = 60;

/** The mail after a sign-up: a token that confirms the address. */
export function confirmationMail(origin: string, token: string): MailText {
  return {
    subject: 'Confirm your email address',
    text: paragraphs(
      `An account at ${origin} was created with this email address.`,
      `If it is yours, confirm the address while you are logged in, within ${CONFIRMATION_VALID_HOURS} hours:`,
      `  market email confirm ${token}`,
      `Programs send {"token": "${token}"} to POST ${origin}/v1/auth/email/confirm with the session of the account.`,
      'If you did not create an account, ignore this mail. Do not pass the token on.',
    ),
  };
}

/** The mail with a token that sets a new password. */
export function resetMail(origin: string, token: string): MailText {
  return {
    subject: 'Reset your password',
    text: paragraphs(
      `A new password was asked for, for your account at ${origin}.`,
      `To set it within ${RESET_VALID_MINUTES} minutes:`,
      `  market password reset --token ${token}`,
      `Programs send {"token": "${token}", "new_password": "…"} to POST ${origin}/v1/auth/password-reset/confirm.`,
      'If you did not ask for it, ignore this mail. Your password stays as it is.',
    ),
  };
}

const NOTICES: Record<NoticeKind, (about: string) => MailText> = {
  password_changed: (about) =>
    notice('Your password was changed', `The password of your account was changed. ${whatStays(about)}`),
  authenticator_changed: (about) =>
    notice(
      about === 'removed' ? 'Your authenticator app was removed' : 'An authenticator app was added',
      about === 'removed'
        ? 'Your account no longer asks for the code of an authenticator app.'
        : 'Your account now asks for the code of an authenticator app when you log in.',
    ),
  recovery_code_used: () =>
    notice(
      'A recovery code was used',
      'A recovery code was used instead of a code of your authenticator app.',
    ),
  payout_method_changed: (about) =>
    notice('Your payout method was changed', `Your earnings are now paid out by the method ${about}.`),
  payout_address_changed: (about) =>
    notice(
      'A payout address was set',
      `The address that gets the earnings of an agent was set or changed: ${about}. It gets nothing before the payout of next week, so there is time to change it.`,
    ),
  webhook_secret_changed: (about) =>
    notice('A webhook secret was changed', `The signing secret of your webhook ${about} was changed.`),
  webhook_url_changed: (about) =>
    notice('A webhook URL was changed', `The events of your webhook ${about} are now sent to another URL.`),
  api_key_created: (about) => notice('An API key was created', `Your account has a new API key: ${about}.`),
  oauth_grant_created: (about) =>
    notice('An application may call an agent', `You permitted an application to call an agent: ${about}.`),
  device_approved: (about) =>
    notice(
      'A device may use your account',
      `You approved the login of a device that asked from ${about}. It gets an API key with the name “market login”.`,
    ),
};

export interface NoticeFacts {
  origin: string;
  about: string;
  /** How many changes of this kind the mail reports. */
  times: number;
  /** When the change happened; the latest one, if there are several. */
  at: Date;
}

/** The mail that reports a change of an account. */
export function noticeMail(kind: NoticeKind, facts: NoticeFacts): MailText {
  const { subject, text } = NOTICES[kind](facts.about);
  const often =
    facts.times > 1 ? [`This happened ${facts.times} times; the mail describes the latest change.`] : [];
  return {
    subject,
    text: paragraphs(
      text,
      ...often,
      `Time of the change: ${facts.at.toISOString()}`,
      `The account is at ${facts.origin}.`,
      'If it was not you, set a new password at once (market password reset), end all sessions (market sessions end --others), and delete API keys that you do not know.',
    ),
  };
}

/** `about`: the numbers of API keys and of OAuth grants that were not ended. */
function whatStays(about: string): string {
  const [keys = '0', grants = '0'] = about.split(' ');
  if (keys === '0' && grants === '0') return 'No API key and no OAuth grant of the account is in use.';
  return `API keys that still work: ${keys}; OAuth grants that still work: ${grants}. End those that you do not know (market api-keys list, market grants list).`;
}

function notice(subject: string, text: string): MailText {
  return { subject, text };
}

function paragraphs(...lines: string[]): string {
  return `${lines.join('\n\n')}\n`;
}
