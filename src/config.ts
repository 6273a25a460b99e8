import { bool, cleanEnv, num, str } from 'envalid';
import { RETRY_PAUSES_MS } from './domain/webhooks/webhook-delivery';
import { assertProduction, DEVELOPMENT_MASTER_KEYS, DEVELOPMENT_SESSION_SECRET } from './config-checks';
import {
  ACCEPTANCE,
  DATABASE,
  JOBS,
  MEANING,
  NOTICES,
  RETENTION,
  TELEMETRY,
  TEMPORAL,
} from './config-operations';
import { PAYMENTS } from './config-payments';
import { PAYOUTS } from './config-payouts';
import { withSecretFiles } from './config-secrets';
import { MONEY, USDC, X402 } from './config-usdc';
import { disputeMs, filled, mailUrl, pauses } from './config-validators';

const HTTP = {
  NODE_ENV: str({
    choices: ['development', 'test', 'production'],
    default: 'production',
    desc: 'In production, no secret has a default and open settings are refused',
  }),
  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    desc: 'Least severe level that is logged',
  }),
  HOST: str({ default: '127.0.0.1', desc: 'Address that the API listens on' }),
  PORT: num({ default: 4000, desc: 'Port of the API; 0 for any free port' }),
  PUBLIC_ORIGIN: str({
    devDefault: 'http://127.0.0.1:4000',
    desc: 'Public base URL of the API; https in production',
  }),
  ALLOWED_ORIGINS: str({
    default: '',
    desc: 'Comma-separated list of further origins whose pages may call the API',
  }),
  WARM_UP: bool({ default: true, desc: 'Start the worker threads for schemas and tokens at boot' }),
  TRUSTED_PROXIES: str({
    default: '',
    desc: 'Comma-separated list of proxy CIDRs whose X-Forwarded-For is trusted',
  }),
  ...TELEMETRY,
};

const STORES = {
  DATABASE_URL: filled({ desc: 'Postgres connection of the app role' }),
  DATABASE_POOL_SIZE: num({ default: 16, desc: 'Maximum connections to Postgres per process' }),
  ...DATABASE,
  ...MEANING,
  ...TEMPORAL,
  TASK_QUEUE_PREFIX: str({
    default: '',
    desc: 'Prefix of task queue names, so that stacks can share a server',
  }),
  WORKFLOW_BUNDLE: str({
    default: '',
    desc: 'Path of the pre-built workflow bundle; empty: beside the code',
  }),
  SESSION_SECRET: filled({
    devDefault: DEVELOPMENT_SESSION_SECRET,
    desc: 'Signs session cookies and callback addresses of jobs; the same for all processes',
  }),
  MASTER_KEYS: filled({
    devDefault: DEVELOPMENT_MASTER_KEYS,
    desc: 'Comma-separated list of name:version=base64 of 32 bytes; the last key encrypts, all decrypt',
  }),
  MASTER_KEY_MIN_VERSION: num({
    default: 1,
    desc: 'Minimum master key version; values encrypted with lower versions are refused',
  }),
  OSV_DIR: str({
    default: '',
    desc: 'Directory or zip archive of OSV records to import every six hours; empty for manual imports only',
  }),
  ADVISORY_SOURCE: str({
    choices: ['none', 'osv'],
    default: 'none',
    desc: 'Source of advisories, fetched every six hours; none: OSV_DIR or manual imports',
  }),
  ADVISORY_SOURCE_URL: str({ default: '', desc: 'URL of a mirror; empty for the public export of OSV' }),
  SECRET_RULES_FILE: str({
    default: '',
    desc: 'TOML file of additional secret rules for bundles, in the format of gitleaks',
  }),
  ...PAYMENTS,
};

const ACCOUNTS = {
  MAIL_URL: mailUrl({
    devDefault: 'sandbox:',
    desc: 'smtps://user:password@host, or smtp:// with STARTTLS; sandbox: for the log, sandbox:/path for a file',
  }),
  SUPPORT_CONTACT: str({
    default: '',
    desc: 'Email address or URL of the operator, shown to people who need help, such as with a frozen wallet; empty for none',
  }),
  MAIL_FROM: filled({
    devDefault: 'Agent Marketplace <no-reply@marketplace.example>',
    desc: 'Sender of all mails',
  }),
  EMAIL_CONFIRMATION: str({
    choices: ['required', 'optional'],
    devDefault: 'optional',
    default: 'required',
    desc: 'required: an account can only read until its email is confirmed',
  }),
  SECOND_FACTOR: str({
    choices: ['required', 'optional'],
    devDefault: 'optional',
    default: 'required',
    desc: 'required: operators, and changes of payout methods, need an authenticator app (TOTP)',
  }),
};

const EGRESS = {
  EGRESS_ALLOW: str({
    default: '',
    desc: 'CIDR[:port-range] list of addresses to allow although the built-in rules refuse them; not for production',
  }),
  EGRESS_ALLOW_IN_PRODUCTION: bool({ default: false, desc: 'Permit EGRESS_ALLOW in production' }),
  EGRESS_DENY: str({ default: '', desc: 'List of CIDRs to refuse in addition to the built-in rules' }),
  EGRESS_DENY_PORTS: str({
    default: '',
    desc: 'Comma-separated list of refused ports; empty for those of well-known internal services',
  }),
  EGRESS_OWN: str({
    default: '',
    desc: 'Comma-separated list of further host names, addresses and CIDRs that lead to this service',
  }),
  EGRESS_DNS_SERVERS: str({
    default: '',
    desc: 'Comma-separated list of DNS servers (host:port); empty for those of the system',
  }),
  EGRESS_EXTRA_CA_FILE: str({
    default: '',
    desc: 'PEM file of a CA to trust in addition to the public ones',
  }),
  LOCAL_AUTHORITY: str({
    default: '',
    desc: 'Folder with ca.pem and ca-key.pem that certify agents on loopback addresses; refused in production',
  }),
};

const CALLS = {
  MAX_IN_FLIGHT: num({
    default: 1_024,
    desc: 'Calls in flight per API process, and tasks per worker process; developers, buyers and unpaid calls have shares of them',
  }),
  MAX_IN_FLIGHT_PER_BUYER: num({ default: 256, desc: 'Calls in flight per buyer' }),
  MAX_IN_FLIGHT_UNPAID: num({
    default: 64,
    desc: 'Calls in flight of a buyer beside which a free call is accepted although the wallet could not pay for it',
  }),
  MAX_IN_FLIGHT_PER_AGENT: num({ default: 1_024, desc: 'Calls in flight per agent' }),
  ...JOBS,
  ...ACCEPTANCE,
  MAX_STORED_BYTES_FREE: num({
    default: 64 * 1024 * 1024,
    desc: 'Bytes stored of free calls of an account; beyond it answers are not kept and tasks are refused',
  }),
  MAX_STORED_BYTES_PAID: num({
    default: 16 * 1024 * 1024 * 1024,
    desc: 'The same of paid calls',
  }),
  MAX_KEPT_BYTES: num({
    default: 1024 * 1024 * 1024,
    desc: 'Bytes of inputs and outputs that an account keeps at most; beyond it those of further calls are not kept',
  }),
  DRAIN_MS: num({
    default: 25_000,
    desc: 'Time in which running calls may end when their process stops; the rest is refunded',
  }),
  VERIFICATION_CLOCK: str({
    choices: ['development', 'production'],
    devDefault: 'development',
    default: 'production',
    desc: 'When agents are probed again after a run: after seconds, or after hours and days',
  }),
  SWEEP_INTERVAL_MS: num({ default: 15_000, desc: 'Interval of the lease sweep' }),
  PENDING_LEASE_MS: num({ default: 15_000, desc: 'Time after which a pending call without a hold fails' }),
  DISPUTE_WINDOW_MS: disputeMs({
    default: 72 * 3_600_000,
    desc: 'Period in which a buyer can dispute a successful call, at most 90 days',
  }),
  DISPUTE_RESPONSE_WINDOW_MS: num({
    default: 72 * 3_600_000,
    desc: 'Period in which a developer can respond to a dispute',
  }),
  SLASH_COUNTER_WINDOW_MS: num({
    default: 7 * 86_400_000,
    desc: 'Period in which a developer can contest a slash',
  }),
  BOND_TOP_UP_WINDOW_MS: num({
    default: 14 * 86_400_000,
    desc: 'Period in which a bond shortfall after a slash must be topped up',
  }),
  ...NOTICES,
  ...RETENTION,
  WEBHOOK_RETRY_PAUSES_MS: pauses({
    default: RETRY_PAUSES_MS,
    desc: 'Comma-separated list of the pauses before each delivery attempt',
  }),
  ENROLMENT: str({
    choices: ['enrolled', 'confirmed'],
    default: 'enrolled',
    desc: 'enrolled: a call begins at once, and its workflow beside it; confirmed: one confirmed workflow before the steps',
  }),
  OWN_WORKFLOWS_PER_SECOND: num({
    default: 20,
    desc: 'Calls per second and process that get a workflow of their own while the engine keeps up; others share one',
  }),
  EAGER_START: bool({ default: true, desc: 'Run the first workflow task in the accepting process' }),
  RATE_LIMIT_PER_ACCOUNT: num({ default: 1_200, testDefault: 1e9, desc: 'Requests per minute and account' }),
  RATE_LIMIT_INVOCATIONS: num({ default: 600, testDefault: 1e9, desc: 'Invocations per minute and account' }),
  RATE_LIMIT_PER_KEY: num({ default: 1_200, testDefault: 1e9, desc: 'Requests per minute and API key' }),
  RATE_LIMIT_KEY_INVOCATIONS: num({
    default: 600,
    testDefault: 1e9,
    desc: 'Invocations per minute and API key',
  }),
  RATE_LIMIT_PER_ADDRESS: num({
    default: 120,
    testDefault: 1e9,
    desc: 'Unauthenticated requests per minute and client network',
  }),
  REFUSALS_BEFORE_LINE: num({ default: 20, testDefault: 1e9, desc: 'Recent 4xx before a caller queues' }),
  EVENT_STREAMS: num({
    default: 1_000,
    desc: 'Event streams of each kind (events of accounts, of listings, of tasks) in an API process',
  }),
  EVENT_STREAMS_PER_ACCOUNT: num({
    default: 10,
    testDefault: 1e9,
    desc: 'Open event streams per account and API process: of A2A tasks, and of the account; each kind counts apart',
  }),
  CONNECTIONS_PER_ADDRESS: num({
    default: 256,
    testDefault: 1e9,
    desc: 'Open connections per client network, except those of trusted proxies',
  }),
  OAUTH_REGISTRATIONS_PER_ADDRESS: num({
    default: 60,
    testDefault: 1e9,
    desc: 'OAuth client registrations per hour and client network',
  }),
  LOGIN_FAILURES: num({
    default: 10,
    testDefault: 1e9,
    desc: 'Failed logins per 15 minutes for an account and client network',
  }),
  PUBLIC_READS: bool({
    default: false,
    desc: 'Open listings, agent pages, trust reports, rubrics, figures and /openapi.json to callers without an account',
  }),
  DEMONSTRATION: bool({
    default: false,
    desc: 'Say on every page that accounts, calls and money are made up; npm start sets it. Never in production',
  }),
};

/** All settings by theme, for `parse` and for the reference page (`tools/reference`). */
export const SETTINGS = { HTTP, STORES, ACCOUNTS, PAYOUTS, USDC, X402, EGRESS, CALLS };

/**
 * Parses all settings, once at boot; `.env.example` documents each. An invalid value ends the process with a message
 * that names the setting. Secrets have defaults outside production only. Throws `Error` if a setting
 * leaves production open (`assertProduction`).
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const config = parse(withSecretFiles(env));
  if (config.NODE_ENV === 'production') {
    assertProduction(config);
    // Without a handler, this signal makes Node open a debug port.
    if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', () => undefined);
  }
  return config;
}

function parse(env: NodeJS.ProcessEnv) {
  return { ...cleanEnv(env, { ...HTTP, ...STORES, ...ACCOUNTS, ...MONEY, ...EGRESS, ...CALLS }) };
}

export type Config = ReturnType<typeof parse>;
