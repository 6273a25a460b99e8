import type { Command } from 'commander';
import { createMarketApi } from '../api-client';
import { verb } from '../command-line';
import { apiAddress, connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { ask, readStandardInput } from '../terminal/terminal-input';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';

export interface PasswordOptions extends GlobalOptions {
  passwordStdin?: boolean;
}

interface ResetOptions extends PasswordOptions {
  email?: string;
  token?: string;
}

const SESSIONS = '/v1/auth/sessions';
const AUTHENTICATOR = '/v1/auth/authenticator';

/** `market security`, `email …`, `password …`, `sessions …` and `totp …` (docs/accounts.md). */
export function accountSecurityVerbs(program: Command): void {
  addShow(program, 'security', SHOWS.security);
  addEmail(program.command('email').description('confirms and changes your email address'));
  addPassword(program.command('password').description('resets a forgotten password'));
  addSessions(program.command('sessions').description('lists and ends your sessions'));
  addTotp(program.command('totp').description('manages your authenticator app (TOTP)'));
}

function addEmail(email: Command): void {
  email
    .command('confirm')
    .argument('<token>', 'the token of the mail')
    .description('confirms the address of the account that is logged in')
    .addHelpText('after', '\nExample:\n  market email confirm pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E')
    .action(
      verb(async (token: string, _options, command: Command) => {
        await connectPerson(command.optsWithGlobals()).call('POST', '/v1/auth/email/confirm', { token });
        return { text: 'Your email address is confirmed.', json: { email_confirmed: true } };
      }),
    );

  email
    .command('change')
    .argument('<email>', 'the new address; the present address cancels a change that is not confirmed')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .option('--totp <code>', 'a code of your authenticator app, if you have one')
    .description('asks for another address, which its mail confirms')
    .addHelpText('after', '\nExample:\n  market email change ada@example.org')
    .action(
      verb(async (email: string, _options, command: Command) => {
        const options = command.optsWithGlobals<PasswordOptions & { totp?: string }>();
        const password = await readPassword(options, 'Password');
        const code = options.totp === undefined ? {} : { totp_code: options.totp };
        await connectPerson(options).call('POST', '/v1/auth/email', { email, password, ...code });
        return {
          text: `A mail to ${email} asks to confirm it. Until then your address stays as it is.`,
          json: { requested: true },
        };
      }),
    );

  email
    .command('resend')
    .description('requests another mail with a token')
    .addHelpText('after', '\nExample:\n  market email resend')
    .action(
      verb(async (_options, command: Command) => {
        await connectPerson(command.optsWithGlobals()).call('POST', '/v1/auth/email/confirmation');
        return { text: 'A mail is on its way.', json: { requested: true } };
      }),
    );
}

function addPassword(password: Command): void {
  password
    .command('reset')
    .option('--email <email>', 'address of the account; prompted for if missing')
    .option('--token <token>', 'the token of the mail: sets a new password')
    .option('--password-stdin', 'read the new password from standard input instead of prompting')
    .description('requests a mail, or sets a new password with its token')
    .addHelpText(
      'after',
      `
Examples:
  market password reset --email ada@example.org
  market password reset --token pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<ResetOptions>();
        const api = createMarketApi(apiAddress(options), {});
        if (options.token === undefined) {
          const email = options.email ?? (await ask('Email'));
          await api.call('POST', '/v1/auth/password-reset', { email });
          const text = 'If the address has an account, a mail is on its way. Its token is valid for an hour.';
          return { text, json: { requested: true } };
        }
        const body = { token: options.token, new_password: await readPassword(options, 'New password') };
        await api.call('POST', '/v1/auth/password-reset/confirm', body);
        return {
          text: 'The new password is set, and all sessions have ended. Log in: market login',
          json: { reset: true },
        };
      }),
    );
}

function addSessions(sessions: Command): void {
  addList(sessions, 'list', LISTS['sessions list']);

  sessions
    .command('end')
    .argument('[session]', 'session id, ses_…')
    .option('--others', 'end all sessions but that of this command')
    .description('ends a session')
    .addHelpText('after', '\nExamples:\n  market sessions end ses_…\n  market sessions end --others')
    .action(
      verb(async (session: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { others?: boolean }>();
        if ((session === undefined) === (options.others !== true))
          throw usageFailure('name a session, or use --others');
        const path = session === undefined ? SESSIONS : `${SESSIONS}/${encodeURIComponent(session)}`;
        await connectPerson(options).call('DELETE', path);
        const text = session === undefined ? 'All other sessions have ended.' : `${session} has ended.`;
        return { text, json: { ended: session ?? 'others' } };
      }),
    );
}

function addTotp(totp: Command): void {
  totp
    .command('enrol')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .description('begins to enrol an app: prints the secret for it')
    .addHelpText('after', '\nExample:\n  market totp enrol')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<PasswordOptions>();
        const password = await readPassword(options, 'Password');
        const begun = await connectPerson(options).call<{ secret: string; otpauth_uri: string }>(
          'POST',
          AUTHENTICATOR,
          { password },
        );
        const text = `secret   ${begun.secret}\naddress  ${begun.otpauth_uri}\nAdd it to your app, then: market totp confirm <code>`;
        return { text, json: begun };
      }),
    );

  totp
    .command('confirm')
    .argument('<code>', 'the first code of the app')
    .description('puts the app into use and prints the recovery codes once')
    .addHelpText('after', '\nExample:\n  market totp confirm 123456')
    .action(
      verb(async (code: string, _options, command: Command) => {
        const done = await connectPerson(command.optsWithGlobals()).call<{ recovery_codes: string[] }>(
          'POST',
          `${AUTHENTICATOR}/confirm`,
          { totp_code: code },
        );
        const text = `${done.recovery_codes.join('\n')}\nEach recovery code works once instead of a code. Store them apart from the app.`;
        return { text, json: done };
      }),
    );

  totp
    .command('remove')
    .argument('<code>', 'a code of the app, or a recovery code')
    .description('removes the app')
    .addHelpText('after', '\nExample:\n  market totp remove 123456')
    .action(
      verb(async (code: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals());
        await api.call('POST', `${AUTHENTICATOR}/remove`, { totp_code: code });
        return { text: 'The authenticator app is removed.', json: { removed: true } };
      }),
    );
}

/** Reads a password from the terminal or from standard input. Throws `CliFailure` (exit 2) for an empty one. */
export async function readPassword({ passwordStdin }: PasswordOptions, label: string): Promise<string> {
  const password = passwordStdin
    ? (await readStandardInput()).replace(/\r?\n$/, '')
    : await ask(label, { hidden: true });
  if (!password) throw usageFailure('the password is empty');
  return password;
}
