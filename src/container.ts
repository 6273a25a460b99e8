import { readFileSync } from 'node:fs';
import type { Config } from './config';
import { Manifest } from './contract/manifest';
import { Registration } from './contract/registrations';
import { createEgress, type Egress } from './egress/agent-call';
import { createMailSender } from './egress/mail';
import { createPolicy } from './egress/policy';
import { type Cipher, createCipher, parseMasterKeys } from './kit/crypto/cipher';
import { createSchemaPool, type SchemaPool } from './kit/schemas/schema-pool';
import { createPasswords, type Passwords } from './kit/crypto/passwords';
import { createDocumentWriter, type DocumentWriter } from './kit/documents/document-threads';
import { createMaskPool } from './kit/masking/mask-pool';
import { createMetrics } from './kit/metrics';
import { compileCheck } from './kit/schemas/validator';
import { createTokenCounter, type TokenCounter } from './kit/tokens/tokens';
import type { Logger } from './logger';
import { createBehaviourWatch } from './services/verification/behaviour-watch';
import { createAdvisories } from './services/verification/advisories';
import { advisoryFeedOf } from './services/verification/advisory-feed';
import { createAccountMails } from './services/accounts/account-mails';
import { createAccountParts } from './services/accounts/account-parts';
import { createOrganisations } from './services/organisations/organisations';
import { createMailSettings, createNoticeMails } from './services/accounts/notice-mails';
import { createKeyUses, type KeyUses } from './services/accounts/api-key-uses';
import { createApiKeys } from './services/accounts/api-keys';
import { type AnswerThreads, createAnswerThreads } from './services/calls/answers/answer-threads';
import { createAgentParts } from './services/agent-parts';
import type { RequestKeys } from './services/evidence/request-keys';
import { createReviews } from './services/evidence/reviews';
import type { AgentCaller } from './services/calls/agent/agent-caller';
import type { AgentNotices } from './services/catalogue/agent-notices';
import { createBillingService } from './services/billing/billing';
import { createBondParts } from './services/bonds/bond-parts';
import { createBundleScans } from './services/verification/bundle-scans';
import { createTopupParts } from './services/billing/topup-parts';
import { type CallServices, createCallServices } from './services/call-services';
import { createDisputes } from './services/disputes/disputes';
import { createLedgerService } from './services/ledger/ledger';
import { createMarketLogReads } from './services/market-log/proofs';
import { createOauthServices } from './services/oauth/oauth-services';
import { createRateLimits, keyLimitsOf, type RateLimits } from './services/accounts/rate-limits';
import { type CallPace, createCallPace } from './services/calls/agent/call-statistics';
import { createLeavingParts } from './services/leaving/leaving-parts';
import { createSsoParts } from './services/sso/sso-parts';
import { createListingWatch } from './services/catalogue/listing-watch';
import { createAgentFigures } from './services/catalogue/agent-figures';
import { createListingParts } from './services/catalogue/search/listing-parts';
import { createContests } from './services/verification/contests';
import { createOperatorParts } from './services/operations/operators';
import { createOverviewParts } from './services/operations/overview';
import { createLoopReports } from './services/operations/loop-reports';
import { createPayouts } from './services/payouts/payouts';
import { createRates } from './services/payouts/exchange-rates';
import { createLocalCertificates } from './services/catalogue/local-certificates';
import { createSigningSecrets } from './services/catalogue/signing-secret';
import { createPriceNotices } from './services/prices/price-rises';
import { createPublishing } from './services/catalogue/publishing';
import { createEndpointOwnership } from './services/verification/ownership/endpoint-ownership';
import { createPublishingViews } from './services/catalogue/publishing-views';
import { createRegistrations } from './services/catalogue/registrations';
import { createRubricRollout } from './services/verification/rubric-rollout';
import { createRubrics } from './services/verification/rubrics';
import { createTaskServices } from './services/task-services';
import { createTrustReports } from './services/verification/trust-reports';
import type { UpstreamCredentials } from './services/catalogue/upstream-credentials';
import { createUsage } from './services/catalogue/usage';
import { createVerification } from './services/verification/verification';
import type { ToolNotary } from './services/mcp/notary/tool-notary';
import { createProvenProbes } from './services/verification/proven-probes';
import {
  createVerificationProbes,
  type ProbeSpacing,
} from './services/verification/probes/verification-probes';
import { createWaivers } from './services/verification/waivers';
import { createVerificationStages } from './services/verification/verification-stages';
import { connectDatabases, type Databases } from './stores/databases';
import { createX402Parts } from './services/x402/x402-parts';
import type { Db, DbPool, FairPool } from './stores/db';
import { type BundleChecks, createBundleChecks } from './verification/bundles/bundle-checks';
import { createBundleScanner } from './verification/bundles/bundle-scan';
import { type AnswerThread, createAnswerThread } from './verification/probes/answer-thread';

/** Only tests pass these (docs/internals/tests.md#cost). */
export interface PartsOfTests {
  passwords?: Passwords;
  spacing?: ProbeSpacing;
}

/**
 * Creates and connects all services; the only place that does so. Groups of related services are created by
 * `createCallServices`, `createTaskServices` and `createPayouts`. Services are `create…(deps)` functions with
 * explicit dependencies. Only entry points and tests import this module.
 */
export function createContainer(config: Config, logger: Logger, given: PartsOfTests = {}) {
  const { passwords = createPasswords(), spacing } = given;
  const { close: closeDatabases, ...databases } = connectDatabases(config, logger.warn.bind(logger));
  const { pool } = databases;
  warnOfExceptions(config, logger);
  const cipher = createCipher(parseMasterKeys(config.MASTER_KEYS), config.MASTER_KEY_MIN_VERSION);
  const egress = createEgress(config);
  const schemas = createSchemaPool({ logger, warm: config.WARM_UP });
  const bundles = createBundleChecks();
  const masking = createMaskPool(logger);
  const answerThreads = createAnswerThreads({ schemas });
  const toAgents = createAgentParts({ pool, cipher, config, egress, masking, answerThreads, logger });
  const warn = (text: string) => (err: unknown) => logger.warn({ err }, text);
  const rateLimits = createRateLimits({ db: pool, onError: warn('rate limits count in this process only') });
  const keyUses = createKeyUses({ db: pool, onError: warn('uses of API keys were not noted') });
  const tokens = createTokenCounter(logger, { warm: config.WARM_UP });
  const mails = mailParts({ pool, config, logger });
  const documents = createDocumentWriter(logger);
  const threads = { documents, schemas, bundles, tokens, reader: createAnswerThread(), answerThreads };
  const base = { config, logger, ...databases, cipher, egress, ...toAgents, ...threads };
  const core: Core = { ...base, pace: createCallPace(), ...(spacing && { spacing }) };
  const calls = createCallServices(core);
  const accounts = createAccountParts({ pool, cipher, config, passwords });
  return {
    ...core,
    metrics: createMetrics(),
    ...createOverviewParts({ pool }),
    mailSettings: createMailSettings({ pool }),
    loopReports: createLoopReports({ db: pool, worker: calls.registry.owner }),
    ...createSsoParts({ pool, cipher, egress, passwords, config }),
    ...accounts,
    organisations: createOrganisations({ pool, sealedFor: accounts.authenticators.sealedFor }),
    mails,
    ...createLeavingParts(core),
    apiKeys: createApiKeys({ pool, uses: keyUses, limits: keyLimitsOf(config) }),
    ...oauthParts(core, rateLimits, keyUses),
    rateLimits,
    ...billingParts(core),
    ...createPayouts(core),
    exchangeRates: createRates(core),
    ...createBondParts(core),
    ...calls,
    ...createTaskServices(core, calls),
    ...createX402Parts(core, rateLimits),
    ...publishingParts(core),
    ...trustParts(core, calls),
    async close(): Promise<void> {
      mails.close();
      await calls.tallies.flush();
      const parts = [...Object.values(threads), egress, masking, rateLimits, keyUses];
      await Promise.all(parts.map((part) => part.close()));
      await closeDatabases();
    },
  };
}
export type Container = ReturnType<typeof createContainer>;

/** Logs a warning at every start when a setting permits calls that the built-in rules refuse. */
function warnOfExceptions({ EGRESS_ALLOW }: Config, logger: Logger): void {
  if (EGRESS_ALLOW)
    logger.warn({ allowed: EGRESS_ALLOW }, 'EGRESS_ALLOW opens otherwise forbidden addresses');
}

/** The mails of accounts and about notices, and the mail server that sends them. */
function mailParts({ pool, config, logger }: Pick<Core, 'pool' | 'config' | 'logger'>) {
  const { PUBLIC_ORIGIN: origin, EGRESS_EXTRA_CA_FILE: caFile, DELETION_WINDOW_MS: windowMs } = config;
  const sender = createMailSender({
    url: config.MAIL_URL,
    from: config.MAIL_FROM,
    requireTls: config.NODE_ENV === 'production',
    extraCaPem: caFile ? readFileSync(caFile, 'utf8') : undefined,
    log: (mail) => logger.info({ mail }, 'a mail of the sandbox'),
  });
  const trustsUnconfirmed = config.EMAIL_CONFIRMATION === 'optional';
  const parts = { db: pool, sender, origin, trustsUnconfirmed, deletionWindowMs: windowMs, logger };
  return { ofAccounts: createAccountMails(parts), ofNotices: createNoticeMails(parts), close: sender.close };
}

interface Core {
  config: Config;
  logger: Logger;
  pool: FairPool;
  reads: Db;
  sessions: DbPool;
  bulk: Databases['bulk'];
  cipher: Cipher;
  egress: Egress;
  /** Signs what it sends (ADR 0352). */
  agentEgress: Egress;
  requestKeys: RequestKeys;
  documents: DocumentWriter;
  schemas: SchemaPool;
  bundles: BundleChecks;
  reader: AnswerThread;
  answerThreads: AnswerThreads;
  agents: AgentCaller;
  pace: CallPace;
  spacing?: ProbeSpacing;
  tokens: TokenCounter;
  credentials: UpstreamCredentials;
  notices: AgentNotices;
  notary: ToolNotary;
}

/** Services that publish, verify and list agents. */
function publishingParts(core: Core) {
  const { pool, reads, cipher, config, egress, schemas, credentials, bundles } = core;
  return {
    publishing: createPublishing({
      pool,
      cipher,
      schemas,
      bundles,
      checkDocument: compileCheck(Manifest, 'manifest'),
      policy: createPolicy(config),
    }),
    publishingViews: createPublishingViews({ pool, cipher, credentials }),
    localCertificates: createLocalCertificates(config),
    signingSecrets: createSigningSecrets({ pool, cipher }),
    registrations: createRegistrations({
      pool,
      priceNoticeMs: config.PRICE_NOTICE_MS,
      cipher,
      credentials,
      egress,
      schemas,
      bundles,
      checkDocument: compileCheck(Registration, 'body'),
    }),
    ...createListingParts(core),
    agentFigures: createAgentFigures({ pool }),
    priceNotices: createPriceNotices({ pool }),
    usage: createUsage({ pool, reads }),
    ...verificationParts(core),
  };
}

/** Services of verification runs and of the stages that gather evidence. */
function verificationParts(core: Core) {
  const { pool, config } = core;
  const advisories = createAdvisories({ pool });
  const advisoryFeed = advisoryFeedOf(core, advisories);
  const ruleFile = config.SECRET_RULES_FILE && readFileSync(config.SECRET_RULES_FILE, 'utf8');
  const scanner = createBundleScanner({ ruleFile: ruleFile || undefined });
  const scans = createBundleScans({ pool, scanner, advisories });
  const ownership = createEndpointOwnership({ ...core, egress: core.agentEgress });
  const probes = createProvenProbes({ pool, ownership, probes: createVerificationProbes(core) });
  return {
    advisories,
    advisoryFeed,
    ownership,
    verification: createVerification({ pool, priceNoticeMs: config.PRICE_NOTICE_MS }),
    verificationStages: createVerificationStages({ ...core, probes, scans }),
    behaviourWatch: createBehaviourWatch({ pool }),
  };
}

/** Services that score evidence by rubrics and present trust reports. */
function trustParts({ pool, reads, sessions, logger, config }: Core, { signingKeys: keys }: CallServices) {
  return {
    reviews: createReviews({ pool, keys, config }),
    contests: createContests({ pool }),
    waivers: createWaivers({ pool }),
    trustReports: createTrustReports({ pool, reads, keys }),
    rubrics: createRubrics({ pool }),
    rubricRollout: createRubricRollout({ pool }),
    listingWatch: createListingWatch({ pool, sessions, logger }),
  };
}

/** Services of the ledger: balances, top-ups, payments, disputes; and operator actions. */
function billingParts(core: Core) {
  const { pool, reads, cipher, config, documents } = core;
  const { PAYOUT_RESERVE_MS: reserveMs, DISPUTE_WINDOW_MS: disputeWindowMs } = config;
  const ledger = createLedgerService({ pool, reads, reserveMs, disputeWindowMs });
  const topups = createTopupParts(core);
  const { DISPUTE_RESPONSE_WINDOW_MS: responseWindowMs, INVOICE_ISSUER: issuer } = config;
  const disputes = createDisputes({ pool, cipher, disputeWindowMs, responseWindowMs });
  return {
    ledger,
    billing: createBillingService({ pool, ledger, ...topups.terms, issuer, documents }),
    ...topups.services,
    ...createOperatorParts({ pool }),
    marketLog: createMarketLogReads({ pool, cipher }),
    disputes,
  };
}

function oauthParts({ pool, egress, config }: Core, rateLimits: RateLimits, uses: KeyUses) {
  const { OAUTH_REGISTRATIONS_PER_ADDRESS: registrationsPerAddress, PUBLIC_ORIGIN: origin } = config;
  return createOauthServices({
    pool,
    egress,
    rateLimits,
    uses,
    registrationsPerAddress,
    origin: new URL(origin).origin,
  });
}
