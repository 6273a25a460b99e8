import { bool, cleanEnv, EnvError, makeExactValidator, makeValidator, num, str } from 'envalid';
import { RATE_SOURCES } from './domain/payouts/exchange-rate';
import { isRoutingNumber } from './domain/payouts/payout-method';
import { RETRY_PAUSES_MS } from './domain/webhooks/webhook-delivery';

/** A setting without which nothing works: an empty value is as wrong as none. */
const filled = makeValidator<string>((value) => {
  if (value.trim() === '') throw new EnvError('must not be empty');
  return value;
});

/** A comma list of milliseconds. */
const pauses = makeExactValidator<readonly number[]>((value) => {
  const list = value.split(',').map(Number);
  if (list.every((ms) => Number.isInteger(ms) && ms >= 0)) return list;
  throw new EnvError('must be a comma list of milliseconds');
});

const bic = makeValidator<string>((value) => {
  if (/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(value)) return value;
  throw new EnvError('must be a BIC of 8 or 11 characters');
});

const routingNumber = makeValidator<string>((value) => {
  if (isRoutingNumber(value)) return value;
  throw new EnvError('must be an ABA routing number');
});

const percent = makeValidator<number>((value) => {
  const number = Number(value);
  if (value.trim() !== '' && number > 0 && number <= 100) return number;
  throw new EnvError('must be above 0 and at most 100');
});

/** A comma list. */
const words = makeExactValidator<readonly string[]>((value) =>
  value
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean),
);

const HTTP = {
  NODE_ENV: str({ choices: ['development', 'test', 'production'], default: 'production' }),
  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  HOST: str({ default: '127.0.0.1', desc: 'Address that the API listens on' }),
  PORT: num({ default: 4000, desc: 'Port of the API; 0: any free one' }),
  PUBLIC_ORIGIN: str({
    default: 'http://127.0.0.1:4000',
    desc: 'Origin under which clients reach the API',
  }),
  ALLOWED_ORIGINS: str({ default: '', desc: 'Comma list of further origins whose pages may use the API' }),
  WARM_UP: bool({ default: true, desc: 'Start the threads for schemas and tokens before they are needed' }),
  TRUSTED_PROXIES: str({ default: '', desc: 'Comma list of CIDRs whose X-Forwarded-For is believed' }),
  METRICS_PORT: num({ default: 0, desc: 'Port of GET /metrics, not for the public; 0: none' }),
  METRICS_HOST: str({ default: '127.0.0.1', desc: 'Address that the metrics are served on' }),
};

const STORES = {
  DATABASE_URL: filled({ desc: 'Postgres connection of the app role' }),
  DATABASE_POOL_SIZE: num({ default: 16 }),
  TEMPORAL_ADDRESS: str({ default: '127.0.0.1:7233' }),
  TEMPORAL_NAMESPACE: str({ default: 'default' }),
  TEMPORAL_TLS: bool({ default: false }),
  TEMPORAL_API_KEY: str({ default: '' }),
  TASK_QUEUE_PREFIX: str({
    default: '',
    desc: 'Prefix of task queue names, so that stacks can share a server',
  }),
  WORKFLOW_BUNDLE: str({
    default: '',
    desc: 'Path of the pre-built workflow bundle; empty: beside the code',
  }),
  SESSION_SECRET: filled({ devDefault: 'development-only-session-secret' }),
  MASTER_KEYS: filled({
    devDefault: 'dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk=',
    desc: 'Comma list of name:version=base64 of 32 bytes; the last one encrypts, all decrypt',
  }),
  MASTER_KEY_MIN_VERSION: num({
    default: 1,
    desc: 'Values that a master key of a lower version encrypts do not open',
  }),
  OSV_DIR: str({
    default: '',
    desc: 'Directory or zip archive of OSV records that is imported every six hours; empty: by hand only',
  }),
  SECRET_RULES_FILE: str({
    default: '',
    desc: 'More rules for secrets in bundles, a TOML file in the format of gitleaks',
  }),
  PAYMENT_PROVIDER: str({ choices: ['sandbox', 'razorpay'], devDefault: 'sandbox', default: 'razorpay' }),
  RAZORPAY_API_URL: str({ default: 'https://api.razorpay.com', desc: 'Origin of the payment provider' }),
  RAZORPAY_KEY_ID: str({ default: '' }),
  RAZORPAY_KEY_SECRET: str({ default: '' }),
  RAZORPAY_WEBHOOK_SECRETS: words({
    default: [],
    desc: 'Comma list: an event is believed when one of them signed it',
  }),
  INVOICE_ISSUER: words({
    default: ['Agent Marketplace'],
    desc: 'Comma list of the lines that invoices begin with: name, address, tax number',
  }),
  TOPUP_MIN_MINOR: num({ default: 100 }),
  TOPUP_MAX_MINOR: num({ default: 10_000_000 }),
};

const PAYOUTS = {
  PAYOUT_SETTLEMENT: str({
    choices: ['sandbox', 'bank'],
    devDefault: 'sandbox',
    default: 'bank',
    desc: 'sandbox: a file that is written is paid; bank: an operator says what the bank did',
  }),
  PAYOUT_TAX_FREE_CREDITS: num({
    default: 60_000,
    desc: 'What a developer may be paid in a calendar year without an accepted tax form',
  }),
  PAYOUT_COMPANY_NAME: str({ default: 'Agent Marketplace' }),
  PAYOUT_COMPANY_ID: str({ default: '1000000000', desc: 'Given by the bank for ACH' }),
  PAYOUT_BANK_NAME: str({ default: 'Our Bank' }),
  PAYOUT_ROUTING_NUMBER: routingNumber({
    default: '021000021',
    desc: 'ABA routing number of the bank for ACH',
  }),
  PAYOUT_ACCOUNT_NUMBER: str({ default: '000000000', desc: 'The account that payouts are made from' }),
  PAYOUT_BIC: bic({ default: 'AAAAUS33', desc: 'BIC of the bank for SWIFT' }),
  FX_SOURCE: str({
    choices: ['none', ...RATE_SOURCES],
    default: 'none',
    desc: 'Where rates of exchange are fetched every hour; none: operators load them',
  }),
  FX_SOURCE_URL: str({ default: '', desc: "Address of the document; empty: the source's own" }),
  FX_MAX_CHANGE_PERCENT: percent({
    default: 10,
    desc: 'A fetched rate that is further from the newest one is not used',
  }),
};

const USDC = {
  PAYOUT_USDC: bool({ default: false, desc: 'Pays out in USDC; off, such earnings go by the other methods' }),
  PAYOUT_USDC_NETWORK: str({ choices: ['eip155:8453', 'eip155:84532'], default: 'eip155:8453' }),
  PAYOUT_USDC_ASSET: str({
    default: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    desc: 'The contract of USDC on the network',
  }),
  PAYOUT_USDC_ASSET_NAME: str({ default: 'USD Coin', desc: 'As the contract says it' }),
  PAYOUT_USDC_ASSET_VERSION: str({ default: '2' }),
  PAYOUT_USDC_TREASURY: str({ default: '', desc: 'The address that pays' }),
  PAYOUT_USDC_TREASURY_KEY: str({ default: '', desc: 'Its private key: 0x and 64 digits' }),
  PAYOUT_USDC_FACILITATOR_URL: str({ default: '' }),
  PAYOUT_USDC_FACILITATOR_TOKEN: str({ default: '', desc: 'Sent as a bearer token; empty: none' }),
  PAYOUT_USDC_RPC_URL: str({ default: '', desc: 'JSON-RPC of a node of the network' }),
  PAYOUT_USDC_CONFIRMATIONS: num({ default: 12, desc: 'Blocks before what the chain says counts' }),
  PAYOUT_USDC_VALID_SECONDS: num({ default: 3_600, desc: 'How long a signed transfer may be brought' }),
};

const EGRESS = {
  EGRESS_ALLOW: str({
    default: '',
    desc: 'CIDR[:port-range] list of otherwise forbidden addresses; not in production',
  }),
  EGRESS_ALLOW_IN_PRODUCTION: bool({ default: false }),
  EGRESS_DENY: str({ default: '', desc: 'CIDR list that is refused besides the built-in rules' }),
  EGRESS_DENY_PORTS: str({
    default: '',
    desc: 'Comma list of ports that are never called; empty: those of well-known internal services',
  }),
  EGRESS_OWN: str({
    default: '',
    desc: 'Comma list of further host names, addresses and CIDRs that lead to this service',
  }),
  EGRESS_DNS_SERVERS: str({
    default: '',
    desc: 'Comma list of resolver host:port; empty: the system servers',
  }),
  EGRESS_EXTRA_CA_FILE: str({ default: '', desc: 'PEM of a CA that is trusted besides the public ones' }),
};

const CALLS = {
  MAX_IN_FLIGHT: num({ default: 1_024, desc: 'Calls in flight per API process' }),
  MAX_IN_FLIGHT_PER_BUYER: num({ default: 256 }),
  MAX_IN_FLIGHT_PER_AGENT: num({ default: 1_024 }),
  SWEEP_INTERVAL_MS: num({ default: 15_000, desc: 'Period of the lease sweep' }),
  PENDING_LEASE_MS: num({ default: 15_000, desc: 'A pending call without a hold fails after this' }),
  DISPUTE_WINDOW_MS: num({ default: 72 * 3_600_000, desc: 'How long after a success a buyer may dispute' }),
  DISPUTE_RESPONSE_WINDOW_MS: num({
    default: 72 * 3_600_000,
    desc: 'How long a developer may answer a dispute',
  }),
  SLASH_COUNTER_WINDOW_MS: num({
    default: 7 * 86_400_000,
    desc: 'How long a developer may answer a slash before it is final',
  }),
  BOND_TOP_UP_WINDOW_MS: num({
    default: 14 * 86_400_000,
    desc: 'How long after a slash the bond may be below the minimum of its tier',
  }),
  BOND_NOTICE_MS: num({ default: 30 * 86_400_000, desc: 'Notice of a withdrawal from a bond' }),
  WEBHOOK_RETRY_PAUSES_MS: pauses({
    default: RETRY_PAUSES_MS,
    desc: 'Comma list: how long each attempt of a delivery waits after the one before',
  }),
  EAGER_START: bool({ default: true, desc: 'Run the first workflow task in the accepting process' }),
  RATE_LIMIT_PER_ACCOUNT: num({
    default: 1_200,
    testDefault: 1e9,
    desc: 'Requests a minute of an account',
  }),
  RATE_LIMIT_INVOCATIONS: num({ default: 600, testDefault: 1e9, desc: 'Of them invocations' }),
  RATE_LIMIT_PER_KEY: num({ default: 1_200, testDefault: 1e9, desc: 'Requests a minute of one API key' }),
  RATE_LIMIT_KEY_INVOCATIONS: num({ default: 600, testDefault: 1e9, desc: 'Of them invocations' }),
  RATE_LIMIT_PER_ADDRESS: num({
    default: 120,
    testDefault: 1e9,
    desc: 'Requests a minute without authentication',
  }),
  LOGIN_FAILURES: num({
    default: 10,
    testDefault: 1e9,
    desc: 'Failed log-ins per 15 minutes for an account and address',
  }),
  PUBLIC_READS: bool({ default: false, desc: 'Open listings and /openapi.json without authentication' }),
};

/**
 * Every setting of the service, parsed once at boot. `.env.example` documents each; a wrong value ends the process
 * with a message that names it. Secrets have defaults only outside production.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env) {
  const settings = cleanEnv(env, { ...HTTP, ...STORES, ...PAYOUTS, ...USDC, ...EGRESS, ...CALLS });
  if (settings.NODE_ENV === 'production' && settings.EGRESS_ALLOW && !settings.EGRESS_ALLOW_IN_PRODUCTION) {
    throw new Error('EGRESS_ALLOW is set in production without EGRESS_ALLOW_IN_PRODUCTION=true');
  }
  return { ...settings };
}

export type Config = ReturnType<typeof loadConfig>;
