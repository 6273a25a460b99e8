import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { createMarketApi, type MarketApi } from '../api-client';
import { buyCredits } from '../terminal/buy-credits';
import { verb, type VerbResult } from '../command-line';
import { apiAddress, type GlobalOptions } from '../connect';
import { CliFailure, usageFailure } from '../failure';
import { profileOf, saveSession, sessionFile } from '../login/session-file';
import { readAmount } from '../terminal/amount';
import { ask, readStandardInput } from '../terminal/terminal-input';

interface RegisterOptions extends GlobalOptions {
  email?: string;
  name?: string;
  role: string;
  passwordStdin?: boolean;
  topup?: string;
  currency: string;
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
    .option('--topup <amount>', 'also buys credits for this amount of money, as market topup does')
    .option('--currency <currency>', 'with --topup: INR, USD, EUR or GBP', 'USD')
    .addHelpText(
      'after',
      `
The password needs at least 8 characters. A mail asks to confirm the address.

Examples:
  market register --api https://market.example.com --email ada@example.org
  pass market | market register --email ada@example.org --role developer --password-stdin --topup 10`,
    )
    .action(verb((_options, command: Command) => register(command.optsWithGlobals<RegisterOptions>())));
}

async function register(options: RegisterOptions): Promise<VerbResult> {
  const url = apiAddress(options);
  // Before there is an account.
  if (options.topup !== undefined) readAmount(options.topup);
  const email = options.email ?? (await ask('Email'));
  const password = options.passwordStdin
    ? (await readStandardInput()).replace(/\r?\n$/, '')
    : await ask('Password', { hidden: true, hint: ' (at least 8 characters)' });
  if (!password) throw usageFailure('the password is empty');
  const displayName = options.name ?? email.split('@', 1)[0];
  const api = createMarketApi(url, {});
  const body = { email, password, displayName, role: options.role };
  const profile = await api.call<Profile>('POST', '/v1/auth/register', body);
  const cookie = api.cookie();
  const replaced = cookie ? saveSession(profileOf(options), url, { email: profile.email, cookie }) : '';
  const made = `${profile.email} (${profile.role}${profile.developer_id ? `, ${profile.developer_id}` : ''}) has an account at ${url}.`;
  const account = { api_url: url, ...profile };
  const topup =
    options.topup === undefined ? undefined : await bought(api, options.topup, { made, account, options });
  const steps = [
    ...(topup ? [] : ['market topup 10']),
    ...(profile.developer_id ? ['market pay-registration'] : []),
  ];
  const confirmed = (await mustConfirm(api)) ? [`follow the link of the mail to ${profile.email}`] : [];
  const next = [...confirmed, ...steps].join(', then ') || 'market listings';
  const saved = `The session is saved in ${sessionFile()}.\n${replaced}`;
  return {
    text: `${made}\n${saved}${topup ? `${topup.text}\n` : ''}Next: ${next}`,
    json: topup ? { ...account, topup: topup.json } : account,
  };
}

/** Buys credits for a new account. A refusal says that there is the account all the same. */
async function bought(
  api: MarketApi,
  amount: string,
  { made, account, options }: { made: string; account: object; options: RegisterOptions },
) {
  try {
    return await buyCredits(api, amount, options);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const message = `${made} The top-up was refused: ${error.message}`;
    throw new CliFailure(message, error.exitCode, { ...account, ...error.json });
  }
}

/** Whether the account can only read until its address is confirmed; false if the marketplace does not say. */
async function mustConfirm(api: MarketApi): Promise<boolean> {
  const facts = api.call<Schema<'Marketplace'>>('GET', '/v1/marketplace');
  return facts.then(
    ({ email_confirmation_required: isRequired }) => isRequired,
    () => false,
  );
}
