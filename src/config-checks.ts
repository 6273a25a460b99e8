/**
 * Settings with which a process in production does not start: published or weak secrets, money that does not exist next
 * to payouts that do, addresses of this machine, a debugger.
 */
import { url as debuggerUrl } from 'node:inspector';
import { BlockList, isIPv6 } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import {
  missingProviderSettings,
  PROVIDER_SETTINGS,
  type ProviderSetting,
  readProviderRoutes,
} from './domain/billing/payment';
import { parsedUrl } from './kit/parsed-url';
import { StartRefusal } from './kit/start-refusal';

/** Published in this repository, so that development needs no settings. Never valid in production. */
export const DEVELOPMENT_SESSION_SECRET = 'development-only-session-secret';
export const DEVELOPMENT_MASTER_KEYS = 'dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk=';

/** The settings that are checked. */
interface Checked extends Readonly<Record<ProviderSetting, string | readonly string[]>> {
  PUBLIC_ORIGIN: string;
  SESSION_SECRET: string;
  MASTER_KEYS: string;
  PAYMENT_PROVIDER: string;
  ALLOW_SANDBOX_PAYMENTS: boolean;
  PAYOUT_SETTLEMENT: string;
  PAYOUT_COMPANY_ID: string;
  PAYOUT_BANK_NAME: string;
  PAYOUT_ROUTING_NUMBER: string;
  PAYOUT_ACCOUNT_NUMBER: string;
  PAYOUT_BIC: string;
  PAYOUT_USDC: boolean;
  PAYOUT_USDC_NETWORK: string;
  MAIL_URL: string;
  EGRESS_ALLOW: string;
  EGRESS_ALLOW_IN_PRODUCTION: boolean;
  LOCAL_AUTHORITY: string;
  DEMONSTRATION: boolean;
}

const MIN_SESSION_SECRET_CHARACTERS = 32;
/** Random text of 32 characters compresses to 26 bytes or more, a repeated word to much less. */
const MIN_COMPRESSED_BYTES = 24;
const PLACEHOLDER = /change.?me|development|example|password|placeholder|default|(your|my|the).?secret/i;

/** Throws `Error` with every reason why a process with these settings must not run in production. */
export function assertProduction(config: Checked): void {
  const problems = [
    ...secretProblems(config),
    ...moneyProblems(config),
    ...providerProblems(config),
    ...bankProblems(config),
    ...originProblems(config),
    ...mailProblems(config),
    ...egressProblems(config),
    ...authorityProblems(config),
    ...demonstrationProblems(config),
    ...debuggerProblems(),
  ];
  if (problems.length === 0) return;
  throw new StartRefusal(
    `this process does not start in production:\n${problems.map((one) => `  - ${one}`).join('\n')}`,
  );
}

function secretProblems({ SESSION_SECRET: secret, MASTER_KEYS: keys }: Checked): string[] {
  const problems: string[] = [];
  if (secret === DEVELOPMENT_SESSION_SECRET || isWeakSecret(secret)) {
    problems.push(
      'SESSION_SECRET is published or easy to guess: at least 32 random characters are needed, from openssl rand -hex 32',
    );
  }
  if (keys.split(',').some(isWeakMasterKey)) {
    problems.push(
      'MASTER_KEYS has a key that is published or easy to guess: 32 random bytes are needed, from openssl rand -base64 32',
    );
  }
  return problems;
}

function isWeakSecret(secret: string): boolean {
  if (secret.length < MIN_SESSION_SECRET_CHARACTERS || PLACEHOLDER.test(secret)) return true;
  return deflateRawSync(secret).length < MIN_COMPRESSED_BYTES;
}

/** True for the published key, for a repeated pattern, and for a phrase instead of random bytes. */
function isWeakMasterKey(entry: string): boolean {
  const bytes = Buffer.from(entry.slice(entry.indexOf('=') + 1).trim(), 'base64');
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  const steps = new Set([...bytes].map((byte, at) => (byte - (bytes[at - 1] ?? 0)) & 0xff));
  return isText || steps.size <= 4 || deflateRawSync(bytes).length < MIN_COMPRESSED_BYTES;
}

function moneyProblems(config: Checked): string[] {
  if (!/\bsandbox\b/.test(config.PAYMENT_PROVIDER)) return [];
  const problems: string[] = [];
  if (!config.ALLOW_SANDBOX_PAYMENTS) {
    problems.push(
      'PAYMENT_PROVIDER=sandbox gives credits without money: set ALLOW_SANDBOX_PAYMENTS=true as well, or another provider',
    );
  }
  if (config.PAYOUT_SETTLEMENT === 'bank') {
    problems.push(
      'PAYMENT_PROVIDER=sandbox with PAYOUT_SETTLEMENT=bank would pay real money for credits without money: set PAYOUT_SETTLEMENT=sandbox',
    );
  }
  if (config.PAYOUT_USDC && config.PAYOUT_USDC_NETWORK === 'eip155:8453') {
    problems.push(
      'PAYMENT_PROVIDER=sandbox with PAYOUT_USDC=true would pay real USDC for credits without money: set PAYOUT_USDC=false',
    );
  }
  return problems;
}

/** What stands in an example instead of a value. As the secret of a webhook, it would let anyone forge a payment. */
const IS_BLANK = /…|^(.)\1*$/u;

function providerProblems(config: Checked): string[] {
  const { PAYMENT_PROVIDER: provider } = config;
  const missing = missingProviderSettings(readProviderRoutes(provider) ?? [], config);
  const blank = Object.values(PROVIDER_SETTINGS)
    .flat()
    .filter((name) => [config[name]].flat().some((value) => IS_BLANK.test(value)));
  return [
    ...missing.map((name) => `${name} is missing, and PAYMENT_PROVIDER=${provider} needs it`),
    ...blank.map(
      (name) => `${name} is a placeholder: set it to that of your account at the provider, or remove it`,
    ),
  ];
}

/**
 * The paying account of development: files with it would be refused by the bank, or debit the account of another
 * company.
 */
const DEVELOPMENT_BANK = {
  PAYOUT_COMPANY_ID: '1000000000',
  PAYOUT_BANK_NAME: 'Our Bank',
  // A real bank has the number of development, so production has none that an operator did not set.
  PAYOUT_ROUTING_NUMBER: '',
  PAYOUT_ACCOUNT_NUMBER: '000000000',
  PAYOUT_BIC: 'AAAAUS33',
} as const;

function bankProblems(config: Checked): string[] {
  if (config.PAYOUT_SETTLEMENT !== 'bank') return [];
  const names = Object.keys(DEVELOPMENT_BANK) as (keyof typeof DEVELOPMENT_BANK)[];
  return names
    .filter((name) => isPlaceholder(config[name], DEVELOPMENT_BANK[name]))
    .map(
      (name) =>
        `${name} is a placeholder, and PAYOUT_SETTLEMENT=bank writes it into files for a bank: set it to that of your bank account, or PAYOUT_SETTLEMENT=sandbox`,
    );
}

/** True for the value of development, for no value, for one repeated character, and for a word that says so. */
function isPlaceholder(value: string, published: string): boolean {
  const text = value.trim();
  return text === published || /^(.)\1*$/.test(text) || text === '' || PLACEHOLDER.test(text);
}

function originProblems({ PUBLIC_ORIGIN: origin }: Checked): string[] {
  if (parsedUrl(origin)?.protocol === 'https:') return [];
  return [
    `PUBLIC_ORIGIN is ${origin}: sessions and tokens need https, so set it to the https address of your proxy, such as https://market.example.com`,
  ];
}

function mailProblems({ MAIL_URL: url }: Checked): string[] {
  if (!url.startsWith('sandbox:')) return [];
  return [
    'MAIL_URL=sandbox: writes mails with their secrets to a log: set it to your mail server, such as smtps://user:password@host',
  ];
}

function egressProblems(config: Checked): string[] {
  const { EGRESS_ALLOW: list } = config;
  if (list === '') return [];
  if (!config.EGRESS_ALLOW_IN_PRODUCTION) {
    return ['EGRESS_ALLOW is set in production without EGRESS_ALLOW_IN_PRODUCTION=true'];
  }
  const loopback = list.split(',').filter(allowsLoopback);
  return loopback.map(
    (entry) => `EGRESS_ALLOW has ${entry.trim()}, which contains addresses of this machine: remove it`,
  );
}

function demonstrationProblems({ DEMONSTRATION: isOn }: Checked): string[] {
  return isOn ? ['DEMONSTRATION says on every page that accounts, calls and money are made up'] : [];
}

function authorityProblems({ LOCAL_AUTHORITY: folder }: Checked): string[] {
  return folder === '' ? [] : ['LOCAL_AUTHORITY certifies agents of development: remove it'];
}

/** Loopback addresses: one of each subnet that means this machine. */
const OWN_ADDRESSES = ['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::ffff:0.0.0.0'];

/** True if an entry `CIDR[:port[-port]]` contains an address of this machine, or is a part of 127.0.0.0/8. */
function allowsLoopback(entry: string): boolean {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\].*|([^[]+))$/.exec(entry.trim()) ?? [];
  const cidr = bracketed ?? (plain?.split(':').length === 2 ? plain.split(':')[0] : plain) ?? '';
  const [address = '', bits = ''] = cidr.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const opened = new BlockList();
  try {
    opened.addSubnet(address, Number(bits), family);
  } catch {
    // `createPolicy` refuses the entry with its reason.
    return false;
  }
  if (OWN_ADDRESSES.some((own) => opened.check(own, isIPv6(own) ? 'ipv6' : 'ipv4'))) return true;
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addSubnet('0.0.0.0', 8, 'ipv4');
  return own.check(address, family);
}

function debuggerProblems(): string[] {
  const asked = process.execArgv.some((argument) => argument.startsWith('--inspect'));
  if (!asked && debuggerUrl() === undefined) return [];
  return [
    'a debugger can attach to this process, and read every secret: start it without --inspect (also in NODE_OPTIONS)',
  ];
}
