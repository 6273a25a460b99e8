import { dirname } from 'node:path';
import { mailFile } from './demonstration/mail-watch';
import {
  authorityFile,
  egressAllowance,
  trustedAuthorities,
  type DemoAgent,
} from './demonstration/demo-agents';
import { type DemoPayments, settingsOfPayments } from './demonstration/demo-payments';
import { APP_ROLE, OWNER_ROLE } from './postgres/database';
import { postgresUrl } from './postgres/postgres';
import type { StackSecrets } from './secrets';
import type { StackPorts } from './settings';
import { SEARCH_ATTRIBUTE_BYTES } from './temporal/limits';

export const DATABASE = 'market';
export const NAMESPACE = 'default';

/**
 * Settings of glibc's allocator: memory of large bodies goes back to the system as soon as it is freed. By default,
 * each thread keeps such memory in an arena of its own (docs/internals/bodies.md#memory).
 */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

export interface StackUrls {
  api: string;
  temporalAddress: string;
  temporalUi: string;
  /** Metrics of the API and of the worker. */
  metrics: { api: string; worker: string };
  /** Connection of the app role. This is the one shown to users. */
  postgresApp: string;
  postgresOwner: string;
}

/** The URLs of all parts of a stack. */
export function stackUrls(ports: StackPorts, secrets: StackSecrets): StackUrls {
  const database = (user: string, password: string) =>
    postgresUrl({ user, password, port: ports.postgres, database: DATABASE });
  return {
    api: `http://127.0.0.1:${ports.api}`,
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    temporalUi: `http://127.0.0.1:${ports.temporalUi}`,
    metrics: {
      api: `http://127.0.0.1:${ports.apiMetrics}/metrics`,
      worker: `http://127.0.0.1:${ports.workerMetrics}/metrics`,
    },
    postgresApp: database(APP_ROLE, secrets.postgres.app),
    postgresOwner: database(OWNER_ROLE, secrets.postgres.owner),
  };
}

/** The environment of the API and the worker. Variables that are not set here come from the caller's environment. */
export function serviceEnvironment(
  stack: {
    home: string;
    ports: StackPorts;
    secrets: StackSecrets;
    agents: readonly DemoAgent[];
    settings?: { makesHistory: boolean };
    payments?: DemoPayments | undefined;
  },
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const urls = stackUrls(stack.ports, stack.secrets);
  return {
    ...ALLOCATOR,
    ...env,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(stack.ports.api),
    METRICS_HOST: '127.0.0.1',
    PUBLIC_ORIGIN: urls.api,
    DATABASE_URL: urls.postgresApp,
    TEMPORAL_ADDRESS: urls.temporalAddress,
    TEMPORAL_NAMESPACE: NAMESPACE,
    TEMPORAL_TLS: 'false',
    TEMPORAL_API_KEY: '',
    TEMPORAL_UI_URL: urls.temporalUi,
    TEMPORAL_SEARCH_ATTRIBUTE_BYTES: String(SEARCH_ATTRIBUTE_BYTES),
    TASK_QUEUE_PREFIX: '',
    // A part is killed 5 s after its signal.
    DRAIN_MS: '3000',
    SESSION_SECRET: stack.secrets.session_secret,
    MASTER_KEYS: stack.secrets.master_keys,
    PAYMENT_PROVIDER: 'sandbox',
    ...(stack.payments && settingsOfPayments(stack.payments)),
    DEMONSTRATION: String(stack.settings?.makesHistory ?? false),
    MAIL_URL: env['MAIL_URL'] || `sandbox:${mailFile(stack.home)}`,
    EGRESS_ALLOW: egressAllowance(stack.agents),
    LOCAL_AUTHORITY: dirname(authorityFile(stack.home)),
    EGRESS_EXTRA_CA_FILE: trustedAuthorities(stack.home, env['EGRESS_EXTRA_CA_FILE']),
  };
}

/** What every program needs of the caller's environment. It contains nothing of the marketplace. */
export function plainEnvironment(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '' } = env as Record<string, string | undefined>;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

/** The environment of a demonstration agent. It contains nothing of the marketplace. */
export function agentEnvironment(agent: DemoAgent, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return {
    ...plainEnvironment(env),
    HOST: agent.host,
    PORT: String(agent.port),
    TLS_CERT_FILE: agent.certFile,
    TLS_KEY_FILE: agent.keyFile,
    SIGNING_SECRET_FILE: agent.secretFile,
  };
}
