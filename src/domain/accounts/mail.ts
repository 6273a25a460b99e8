/** The mails of accounts: what each kind says. Texts contain ids and tokens, never text that other people chose. */
export const MAIL_KINDS = [
  'confirm_email',
  'change_email',
  'email_change_requested',
  'email_changed',
  'reset_password',
  'password_changed',
  'authenticator_changed',
  'recovery_code_used',
  'payout_method_changed',
  'payout_address_changed',
  'webhook_secret_changed',
  'agent_secret_changed',
  'webhook_url_changed',
  'api_key_created',
  'oauth_grant_created',
  'device_approved',
  'company_login_linked',
  'export_ready',
  'export_failed',
  'confirm_deletion',
  'deletion_requested',
  'deletion_withdrawn',
  'deletion_confirmed',
  'deletion_blocked',
  'deletion_lapsed',
  'invitation',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];
/** A mail with a token, which is sent to an address that is to be proven. */
type TokenKind = 'confirm_email' | 'change_email' | 'reset_password' | 'confirm_deletion' | 'invitation';
const TOKEN_KINDS: readonly TokenKind[] = [
  'confirm_email',
  'change_email',
  'reset_password',
  'confirm_deletion',
  'invitation',
];
/** A mail that reports a change of an account. */
export type NoticeKind = Exclude<MailKind, TokenKind>;

/** Whether a mail reports a change of an account, so that each change is a mail of its own. */
export function isNotice(kind: MailKind): kind is NoticeKind {
  return !TOKEN_KINDS.some((token) => token === kind);
}

/** A mail as it is sent. */
export interface MailText {
  subject: string;
  text: string;
}

export const CONFIRMATION_VALID_HOURS = 24;
export const RESET_VALID_MINUTES = 60;
/** Days for which the archive of an export can be downloaded. */
export const EXPORT_VALID_DAYS = 7;

/** The mail after a sign-up: a link with a token that confirms the address. */
export function confirmationMail(origin: string, token: string): MailText {
  return {
    subject: 'Confirm your email address',
    text: paragraphs(
      `An account at ${origin} was created with this email address.`,
      ...howToConfirm(origin, token),
      'If you did not create an account, ignore this mail. Do not pass the link on.',
    ),
  };
}

/** The mail that invites an address to an organisation: a link with a token that accepts the invitation. */
export function invitationMail(origin: string, token: string, days: number): MailText {
  return {
    subject: 'You are invited to an organisation',
    text: paragraphs(
      `An organisation at ${origin} invites this email address to become a member.`,
      `The invitation is valid for ${days} days and can be used once. Log in with the account of this address, or create it, and open this link:`,
      `  ${linkOf(origin, 'invitation', token)}`,
      `Programs send {"token": "${token}"} to POST ${origin}/v1/organisations/invitations/accept with the session of the account.`,
      'If you do not know who invites you, ignore this mail. Do not pass the link on.',
    ),
  };
}

/** The mail to an address that an account wants to change to: a link with a token that confirms it. */
export function changeMail(origin: string, token: string): MailText {
  return {
    subject: 'Confirm your new email address',
    text: paragraphs(
      `An account at ${origin} wants to use this email address instead of its present one.`,
      ...howToConfirm(origin, token),
      'If the account is not yours, ignore this mail. Nothing changes then. Do not pass the link on.',
    ),
  };
}

function howToConfirm(origin: string, token: string): string[] {
  return [
    `If the account is yours, confirm the address within ${CONFIRMATION_VALID_HOURS} hours. Open this link and press the button:`,
    `  ${linkOf(origin, 'confirm-email', token)}`,
    'Or, on the command line, while you are logged in:',
    `  market email confirm ${token}`,
    `Programs send {"token": "${token}"} to POST ${origin}/v1/auth/email/confirm with the session of the account.`,
  ];
}

/** A page of the console that uses a token up. The token is behind `#`, so that no server and no log receives it. */
const linkOf = (origin: string, page: string, token: string) => `${origin}/console/${page}#${token}`;

/** The organisation whose id ends a text; undefined for a personal account. */
const deletedOrganisation = (what: string) => /(?:usr|org)_[0-9a-f]{32}$/.exec(what)?.[0];

/** The mail with a token that sets a new password. */
export function resetMail(origin: string, token: string): MailText {
  return {
    subject: 'Reset your password',
    text: paragraphs(
      `A new password was asked for, for your account at ${origin}.`,
      `Set it within ${RESET_VALID_MINUTES} minutes. Open this link:`,
      `  ${linkOf(origin, 'reset-password', token)}`,
      'Or, on the command line:',
      `  market password reset --token ${token}`,
      `Programs send {"token": "${token}", "new_password": "…"} to POST ${origin}/v1/auth/password-reset/confirm.`,
      'If you did not ask for it, ignore this mail. Your password stays as it is.',
    ),
  };
}

/** The mail with a token that confirms a deletion. `what`: `account`, or the organisation with its id. */
export function deletionMail(origin: string, token: string, validDays: number, what: string): MailText {
  const orgId = deletedOrganisation(what);
  const page = orgId === undefined ? 'confirm-deletion' : `confirm-deletion?organisation=${orgId}`;
  return {
    subject: `Confirm that your ${what} is to be deleted`,
    text: paragraphs(
      `The deletion of your ${what} at ${origin} was requested, and its window is over. Nothing is deleted before you confirm it.`,
      `If you want the ${what} and its data deleted, confirm it within ${validDays} days. Open this link and press the button:`,
      `  ${linkOf(origin, page, token)}`,
      'Or, on the command line:',
      `  market account delete --confirm ${token}`,
      `Programs send {"token": "${token}"} to POST ${origin}/v1/account/delete/confirm.`,
      'This cannot be undone. If you did not ask for it, set a new password at once and withdraw the deletion. Do not pass the link on.',
    ),
  };
}

/** What a mail about a deletion is about: its details, and your account or the organisation whose id ends `about`. */
function deletionOf(about: string): { details: string; whose: string; what: string } {
  const orgId = deletedOrganisation(about) ?? '';
  const name = orgId === '' ? 'account' : `organisation ${orgId}`;
  const details = about.slice(0, about.length - orgId.length).trim();
  return { details, whose: `your ${name}`, what: `Your ${name}` };
}

/** Whether an address stands for that of a deleted account: nothing is sent to it. */
export const isDeletedAddress = (email: string): boolean => email.endsWith('@deleted.invalid');

const NOTICES: Record<NoticeKind, (about: string) => MailText> = {
  email_change_requested: () =>
    notice(
      'A change of your email address was asked for',
      'Your account was asked to use another email address. The change happens when the new address is confirmed; until then this one is in use.',
    ),
  email_changed: () =>
    notice(
      'Your email address was changed',
      'Your account now uses another email address. You log in with that one, and this address gets no more mails.',
    ),
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
      `The address that gets the earnings of an agent was set or changed: ${about} at the earliest. Payouts before that day go there only if another of your agents had this address before, so there is time to undo the change.`,
    ),
  webhook_secret_changed: (about) =>
    notice('A webhook secret was changed', `The signing secret of your webhook ${about} was changed.`),
  agent_secret_changed: (about) =>
    notice(
      'The signing secret of an agent was changed',
      `The secret that signs the calls to your agent ${about} was changed.`,
    ),
  webhook_url_changed: (about) =>
    notice('A webhook URL was changed', `The events of your webhook ${about} are now sent to another URL.`),
  api_key_created: (about) => notice('An API key was created', `Your account has a new API key: ${about}.`),
  oauth_grant_created: (about) =>
    notice('An application may call an agent', `You permitted an application to call an agent: ${about}.`),
  company_login_linked: (about) =>
    notice(
      'A company sign-in was linked to your account',
      `The identity provider of the organisation ${about} may log in to your account from now on, because the organisation has proven the domain of your email address.`,
    ),
  export_ready: (about) =>
    notice(
      'The export of your data is ready',
      `The archive ${about} of everything that your account has stored is ready. Download it within ${EXPORT_VALID_DAYS} days in the console, under “Your data”, or by \`market account download ${about}\`. Then it is deleted.`,
    ),
  deletion_requested: (about) => {
    const { details, whose } = deletionOf(about);
    return notice(
      `The deletion of ${whose} was requested`,
      `The deletion of ${whose} was requested. On ${details} a second mail asks for the confirmation; nothing is deleted before that. You can withdraw the deletion until then and after it, in the console under “Your data” or by \`market account delete --withdraw\`.`,
    );
  },
  deletion_withdrawn: (about) => {
    const { whose, what } = deletionOf(about);
    return notice(`The deletion of ${whose} was withdrawn`, `${what} stays as it is. Nothing was deleted.`);
  },
  deletion_confirmed: (about) =>
    notice(
      `${deletionOf(about).what} is being deleted`,
      'The deletion was confirmed. It begins as soon as nothing blocks it, such as an open dispute. Then logins, keys and grants end, agents retire, and the data is erased. This is the last mail, unless something blocks it.',
    ),
  deletion_blocked: (about) => {
    const { details, whose } = deletionOf(about);
    return notice(
      `The deletion of ${whose} waits`,
      `The deletion of ${whose} waits for: ${details.replaceAll(' ', ', ').replaceAll('_', ' ')}. It goes on by itself when nothing blocks it any more. Until then you can withdraw it.`,
    );
  },
  deletion_lapsed: (about) => {
    const { whose, what } = deletionOf(about);
    return notice(
      `The deletion of ${whose} has lapsed`,
      `The deletion was not confirmed in time. ${what} stays as it is.`,
    );
  },
  export_failed: (about) =>
    notice(
      'The export of your data failed',
      `The archive ${about} could not be written. Request another one; if that fails too, the operator of the service knows more.`,
    ),
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
      `If it was not you, set a new password at once (${facts.origin}/console/forgot-password), then end all sessions and delete API keys that you do not know (${facts.origin}/console/account).`,
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

/** The text of a mail. */
export function paragraphs(...lines: string[]): string {
  return `${lines.join('\n\n')}\n`;
}
