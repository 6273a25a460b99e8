import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { ApiFailure, createMarketApi, type MarketApi } from '../api-client';
import { endDeviceKey, logInByBrowser } from '../login/browser-login';
import { verb } from '../command-line';
import { apiAddress, connectPerson, type GlobalOptions } from '../connect';
import { localStack } from '../local-stack';
import { usageFailure } from '../failure';
import {
  forgetSession,
  profileOf,
  readSessions,
  type SavedSession,
  saveSession,
  sessionFile,
} from '../login/session-file';
import { ownerText } from '../login/owner';
import { oneLine } from '../terminal/terminal-text';
import { openInBrowser } from './open';
import { ask, readStandardInput } from '../terminal/terminal-input';

type Profile = Schema<'Profile'>;

interface LoginOptions extends GlobalOptions {
  email?: string;
  passwordStdin?: boolean;
  demo?: string;
  totp?: string;
  browser?: boolean;
  scopes?: string;
}

/** `market login`, `logout`, `whoami`. */
export function accountVerbs(program: Command): void {
  program
    .command('login')
    .description('logs in, by password or in the browser, and saves the login for the other verbs')
    .option('--email <email>', 'email of the account; prompted for if missing')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .option('--totp <code>', 'a code of your authenticator app, or a recovery code; prompted for if needed')
    .option(
      '--browser',
      'permit a key for this machine on a page of the marketplace, on this or another device',
    )
    .option(
      '--scopes <scopes>',
      'with --browser: what the key may do, separated by commas; default all scopes',
    )
    .option('--demo <account>', 'a demonstration account of the local stack: developer, buyer or operator')
    .addHelpText(
      'after',
      `
The session of a password expires after 14 days without use. --browser prints a page and a code: open the page on any
device and permit an API key with a spending cap, which is valid for 90 days. Such a key cannot do what only a person may,
such as disputes, API keys and payouts. Programs use API keys of their own (MARKET_API_KEY).

Examples:
  market login --api https://market.example.com --email ada@example.org
  pass market | market login --email ada@example.org --password-stdin
  market login --browser --scopes agents:read,agents:invoke
  market login --demo developer`,
    )
    .action(verb((_options, command: Command) => login(command.optsWithGlobals<LoginOptions>())));

  program
    .command('logout')
    .description('ends the session, locally and at the marketplace')
    .addHelpText('after', '\nExample:\n  market logout')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const url = apiAddress(options);
        const saved = readSessions(profileOf(options)).sessions[url];
        if (saved?.apiKey) await endDeviceKey(createMarketApi(url, {}), saved.apiKey);
        else await connectPerson(options).call('POST', '/v1/auth/logout');
        forgetSession(profileOf(options), url);
        return { text: `Logged out of ${url}.`, json: { api_url: url } };
      }),
    );

  addWhoami(program);
}

function addWhoami(program: Command): void {
  program
    .command('whoami')
    .description('prints the account that is logged in, the marketplace, and for whom the verbs act')
    .addHelpText('after', '\nExample:\n  market whoami --json')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const url = apiAddress(options);
        const saved = readSessions(profileOf(options)).sessions[url];
        if (saved?.apiKey) return describeKey(saved, url);
        const api = connectPerson(options);
        const profile = await api.call<Profile>('GET', '/v1/auth/me');
        const acting = await actingFor(api);
        const text = [describe(profile, url), acting.text, ...keyOfPrograms()].join('\n');
        return { text, json: { api_url: url, ...profile, owner: acting.owner } };
      }),
    );
}

/** Whose wallet pays. */
async function actingFor(api: MarketApi) {
  if (!api.owner) return { text: 'The verbs act for you: your wallet pays.', owner: null };
  try {
    const path = `/v1/organisations/${api.owner.id}`;
    const organisation = await api.call<Schema<'Organisation'>>('GET', path);
    const { org_id: id, name, role } = organisation;
    const text = `The verbs act for ${oneLine(ownerText({ id, name }))} in the role ${role}: its wallet pays.`;
    return { text, owner: organisation };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'not_found') throw error;
    const text = `You are no member of ${oneLine(ownerText(api.owner))}, so most verbs are refused: market orgs use personal`;
    return { text, owner: null };
  }
}

/** A key of a program takes precedence over the login in all other verbs. */
const keyOfPrograms = () =>
  process.env['MARKET_API_KEY']
    ? ['MARKET_API_KEY is set: other verbs act for the account of that key, and its wallet pays.']
    : [];

async function login(options: LoginOptions) {
  if (options.browser) return browserLogin(options);
  if (options.scopes) throw usageFailure('--scopes needs --browser: a session may do everything');
  const { email, password, url } = options.demo
    ? demoAccount(options.demo, options)
    : { ...(await typedAccount(options)), url: apiAddress(options) };
  const api = createMarketApi(url, {});
  const profile = await signIn(api, { email, password }, options.totp);
  const cookie = api.cookie();
  if (!cookie) throw new Error(`${url} accepted the login but set no session cookie`);
  const replaced = saveSession(profileOf(options), url, { email: profile.email, cookie });
  const { owner } = readSessions(profileOf(options)).sessions[url] ?? {};
  const kept = owner ? `The verbs act for ${oneLine(ownerText(owner))}.\n` : '';
  return {
    text: `${describe(profile, url)}\nThe session is saved in ${sessionFile()}.\n${kept}${replaced}`.trimEnd(),
    json: { api_url: url, ...profile },
  };
}

async function browserLogin(options: LoginOptions) {
  const url = apiAddress(options);
  const show = ({ page, code }: { page: string; code: string }) => {
    process.stderr.write(`Open ${page}\nand check that it shows the code ${code}. Waiting for you …\n`);
    if (process.stderr.isTTY) openInBrowser(page);
  };
  const key = await logInByBrowser(createMarketApi(url, {}), { scopes: options.scopes, show });
  const replaced = saveSession(profileOf(options), url, key);
  const { text, json } = describeKey(key, url);
  return { text: `${text}\nThe key is saved in ${sessionFile()}.\n${replaced}`.trimEnd(), json };
}

function describeKey({ email, keyId = '', scopes = '', owner }: SavedSession, url: string) {
  const payer = owner ? ` of ${oneLine(ownerText(owner))}` : '';
  const text = `${email} at ${url}, by the key ${keyId}${payer}, which may: ${scopes.split(' ').join(', ')}`;
  const json = { api_url: url, email, key_id: keyId, scopes: scopes.split(' '), owner_id: owner?.id ?? null };
  return { text, json };
}

/** Logs in. Asks for a code of the authenticator app if the account needs one and a person is there to answer. */
async function signIn(
  api: MarketApi,
  account: { email: string; password: string },
  code: string | undefined,
): Promise<Profile> {
  const post = (totp?: string) =>
    api.call<Profile>('POST', '/v1/auth/login', { ...account, ...(totp && { totp_code: totp }) });
  try {
    return await post(code);
  } catch (error) {
    const needsCode = error instanceof ApiFailure && error.code === 'second_factor_required';
    if (!needsCode || !process.stdin.isTTY) throw error;
    return post(await ask('Code of your authenticator app'));
  }
}

async function typedAccount(options: LoginOptions): Promise<{ email: string; password: string }> {
  const email = options.email ?? (await ask('Email'));
  const password = options.passwordStdin
    ? (await readStandardInput()).replace(/\r?\n$/, '')
    : await ask('Password', { hidden: true });
  if (!password) throw usageFailure('the password is empty');
  return { email, password };
}

/** The credentials of a demonstration account. They are sent only to the stack that they belong to. */
function demoAccount(name: string, options: GlobalOptions) {
  const stack = localStack();
  if (!stack) throw usageFailure('no local stack is running: start it with npm start');
  const account = (stack.accounts as Record<string, { email: string; password: string } | undefined>)[name];
  if (!account) throw usageFailure(`--demo must be one of ${Object.keys(stack.accounts).join(', ')}`);
  if (options.api && apiAddress(options) !== stack.api_url)
    throw usageFailure(`--demo works only with the local stack, ${stack.api_url}`);
  return { ...account, url: stack.api_url };
}

function describe(profile: Profile, url: string): string {
  const developer = profile.developer_id ? `, ${profile.developer_id}` : '';
  const fee =
    profile.developer_id && !profile.registration_paid ? '; the registration fee is not paid yet' : '';
  return `${profile.email} (${profile.role}${developer}) at ${url}${fee}`;
}
