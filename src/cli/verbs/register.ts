import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { createMarketApi, type MarketApi } from '../api-client';
import { verb } from '../command-line';
import { apiAddress, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { profileOf, saveSession, sessionFile } from '../login/session-file';
import { ask, readStandardInput } from '../terminal/terminal-input';

interface RegisterOptions extends GlobalOptions {
  email?: string;
  name?: string;
  role: string;
  passwordStdin?: boolean;
}

type Profile = Schema<'Profile'>;

/** `market register`. */
export function registerVerbs(program: Command): void {
  program
    .command('register')
    .description('creates an account, logs in and saves the session')
    .option('--email <email>', 'email of the account; prompted for if missing')
    .option('--name <name>', 'name that other users see; default: the part of the email before @')
    .option('--role <role>', 'buyer or developer', 'buyer')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .addHelpText(
      'after',
      `
The password needs at least 8 characters. A mail asks to confirm the address.

Examples:
  market register --api https://market.example.com --email ada@example.org
  pass market | market register --email ada@example.org --role developer --password-stdin`,
    )
    .action(verb((_options, command: Command) => register(command.optsWithGlobals<RegisterOptions>())));
}

async function register(options: RegisterOptions) {
  const url = apiAddress(options);
  const email = options.email ?? (await ask('Email'));
  const password = options.passwordStdin
    ? (await readStandardInput()).replace(/\r?\n$/, '')
    : await ask('Password, at least 8 characters', { hidden: true });
  if (!password) throw usageFailure('the password is empty');
  const displayName = options.name ?? email.split('@', 1)[0];
  const api = createMarketApi(url, {});
  const body = { email, password, displayName, role: options.role };
  const profile = await api.call<Profile>('POST', '/v1/auth/register', body);
  const cookie = api.cookie();
  const replaced = cookie ? saveSession(profileOf(options), url, { email: profile.email, cookie }) : '';
  const then = profile.developer_id ? 'market topup 10, then market pay-registration' : 'market topup 10';
  const next = (await mustConfirm(api))
    ? `follow the link of the mail to ${profile.email}, then ${then}`
    : then;
  return {
    text:
      `${profile.email} (${profile.role}${profile.developer_id ? `, ${profile.developer_id}` : ''}) has an account at ${url}.\n` +
      `The session is saved in ${sessionFile()}.\n${replaced}Next: ${next}`,
    json: { api_url: url, ...profile },
  };
}

/** Whether the account can only read until its address is confirmed; false if the marketplace does not say. */
async function mustConfirm(api: MarketApi): Promise<boolean> {
  const facts = api.call<Schema<'Marketplace'>>('GET', '/v1/marketplace');
  return facts.then(
    ({ email_confirmation_required: isRequired }) => isRequired,
    () => false,
  );
}
