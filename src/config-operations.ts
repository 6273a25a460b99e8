import { bool, num, str } from 'envalid';
import { share, webAddress } from './config-validators';

/** Metrics and traces of a process. */
export const TELEMETRY = {
  METRICS_PORT: num({ default: 0, desc: 'Port of GET /metrics, which must not be public; 0 for none' }),
  METRICS_HOST: str({ default: '127.0.0.1', desc: 'Address that the metrics server listens on' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: str({
    default: '',
    desc: 'Base URL of an OTLP receiver (HTTP) that gets traces; empty for none',
  }),
  OTEL_TRACES_SAMPLER_ARG: share({ default: 1, desc: 'Share of the traces that are exported, from 0 to 1' }),
};

/** Calls that agents have accepted as jobs. */
export const JOBS = {
  MAX_JOBS_PER_BUYER: num({ default: 64, desc: 'Jobs of a buyer at a time, beside its calls in flight' }),
  MAX_JOBS_PER_AGENT: num({ default: 1_000, desc: 'Jobs of an agent at a time, beside its calls in flight' }),
  QUESTION_WINDOW_MS: num({
    default: 7 * 86_400_000,
    desc: 'Period in which a buyer can answer a question of a job; after that, the call is canceled and refunded',
  }),
};

/** Tests that buyers set for answers. */
export const ACCEPTANCE = {
  ACCEPTANCE_MOST_FAILED_PERCENT: num({
    default: 50,
    desc: 'A caller sets no tests for answers while a larger share of its last 100 tested answers failed',
  }),
};

/** Periods between an announcement and its effect. */
export const NOTICES = {
  BOND_NOTICE_MS: num({ default: 30 * 86_400_000, desc: 'Notice period of a bond withdrawal' }),
  DELETION_WINDOW_MS: num({
    default: 14 * 86_400_000,
    desc: 'Period between the request to delete an account and the mail that asks for the confirmation; the confirmation is possible for as long again',
  }),
  PRICE_NOTICE_MS: num({
    default: 14 * 86_400_000,
    devDefault: 0,
    desc: 'Notice period of a higher price for an agent with paid calls in the last 30 days; 0: it counts at once',
  }),
};

/** For how long data of deleted accounts stays elsewhere, as the operator has arranged it. */
export const RETENTION = {
  BACKUP_RETENTION_DAYS: num({
    default: 35,
    desc: 'Days after which a backup, a log and a closed workflow no longer exist; accounts that are deleted get the day',
  }),
  LEGAL_RETENTION_DAYS: num({
    default: 3_653,
    desc: 'Days for which names and addresses on invoices and tax forms of deleted accounts are kept, sealed, for tax authorities',
  }),
};

/** Further connections to Postgres, for deployments with a pooler or a replica. */
export const DATABASE = {
  DATABASE_READ_URL: str({
    default: '',
    desc: 'Postgres connection of a replica for searches, reports, usage and statements; empty: DATABASE_URL',
  }),
  DATABASE_SESSION_URL: str({
    default: '',
    desc: 'Postgres connection that keeps its session, for LISTEN beside a transaction pooler; empty: DATABASE_URL',
  }),
  DATABASE_PREPARED_STATEMENTS: bool({
    default: true,
    desc: 'Keep prepared statements; false for transaction poolers that know none (PgBouncer before 1.21)',
  }),
};

/** The connection to Temporal. */
export const TEMPORAL = {
  TEMPORAL_ADDRESS: str({ default: '127.0.0.1:7233', desc: 'Host and port of the Temporal server' }),
  TEMPORAL_NAMESPACE: str({ default: 'default', desc: 'Namespace of the workflows; it must exist' }),
  TEMPORAL_TLS: bool({ default: false, desc: 'Connect to Temporal by TLS' }),
  TEMPORAL_TLS_CA_FILE: str({
    default: '',
    desc: 'PEM file of the CA of the Temporal server; empty for the public ones',
  }),
  TEMPORAL_TLS_CERT_FILE: str({
    default: '',
    desc: 'PEM file of the client certificate for Temporal (mTLS); empty for none',
  }),
  TEMPORAL_TLS_KEY_FILE: str({ default: '', desc: 'PEM file of the key of the client certificate' }),
  TEMPORAL_TLS_SERVER_NAME: str({
    default: '',
    desc: "Name that the Temporal server's certificate must have; empty for the host of the address",
  }),
  TEMPORAL_API_KEY: str({ default: '', desc: 'API key for a hosted Temporal; empty for none' }),
  TEMPORAL_SEARCH_ATTRIBUTE_BYTES: num({
    default: 2_048,
    desc: 'Size of a search attribute that the Temporal server accepts: frontend.searchAttributesSizeOfValueLimit. Calls share a workflow as far as their names fit into it',
  }),
  TEMPORAL_UI_URL: webAddress({
    default: '',
    desc: "Address of Temporal's UI, which the console shows to operators; empty for none",
  }),
  WORKER_BUILD_ID: str({
    default: '',
    desc: 'Build id of the deployment `marketplace` that a worker process belongs to; empty for no worker versioning',
  }),
};

/** The order of searches by meaning. */
export const MEANING = {
  EMBEDDINGS_URL: webAddress({
    default: '',
    desc: 'Base URL of an OpenAI-compatible API, whose /embeddings help to order searches; empty for none',
  }),
  EMBEDDINGS_MODEL: str({ default: 'text-embedding-3-small', desc: 'Model of the embeddings' }),
  EMBEDDINGS_KEY: str({ default: '', desc: 'API key for the embeddings; empty for none' }),
};
