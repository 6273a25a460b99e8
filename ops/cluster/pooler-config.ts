import { APP_ROLE, OWNER_ROLE } from '../../src/runtime/postgres/database';
import { DATABASE } from '../../src/runtime/environment';
import { TEMPORAL_DATABASES, TEMPORAL_ROLE } from './layout';

/** The database of the pooler's console, and the role that may use it. */
export const CONSOLE = { database: 'pgbouncer', user: 'pooler' } as const;
/** Names of the pools. Those with other names lead to the database `market` too. */
export const POOLS = {
  transactions: DATABASE,
  /** Connections that keep their session. */
  sessions: 'market_session',
  reads: 'market_read',
} as const;

export interface PoolerConfigInput {
  port: number;
  primaryPort: number;
  readsPort: number;
  usersFile: string;
  /** Folder of the socket by which a second pooler takes over. */
  socketFolder: string;
  /** True from PgBouncer 1.21 on. */
  prepares: boolean;
}

const STATEMENT_TIMEOUT_MS = 4_000;
const MOST_CLIENTS = 2_000;
/** Connections to Postgres for each database: some for each core and disk, not for each client. */
const POOL_SIZE = 20;
const SESSION_POOL_SIZE = 60;

/** pgbouncer.ini: the pools that the processes share. */
export function poolerConfig(input: PoolerConfigInput): string {
  const at = (port: number, database: string, more: string) =>
    `host=127.0.0.1 port=${port} dbname=${database} ${more}`;
  // PgBouncer passes on no startup parameter but a few, so it sets the timeout of statements itself.
  const timeout = `connect_query='SET statement_timeout = ${STATEMENT_TIMEOUT_MS}'`;
  const { primaryPort: primary, readsPort: reads } = input;
  return `[databases]
${POOLS.transactions} = ${at(primary, DATABASE, timeout)}
${POOLS.sessions} = ${at(primary, DATABASE, `${timeout} pool_mode=session pool_size=${SESSION_POOL_SIZE}`)}
${POOLS.reads} = ${at(reads, DATABASE, timeout)}
${TEMPORAL_DATABASES.persistence} = ${at(primary, TEMPORAL_DATABASES.persistence, '')}
${TEMPORAL_DATABASES.visibility} = ${at(primary, TEMPORAL_DATABASES.visibility, '')}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${input.port}
unix_socket_dir = ${input.socketFolder}
auth_type = scram-sha-256
auth_file = ${input.usersFile}
admin_users = ${CONSOLE.user}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = ${MOST_CLIENTS}
${input.prepares ? 'max_prepared_statements = 200\n' : ''}ignore_startup_parameters = extra_float_digits,statement_timeout
server_login_retry = 0.5
server_connect_timeout = 3
server_lifetime = 600
query_wait_timeout = 20
log_connections = 0
log_disconnections = 0
log_stats = 0
`;
}

/** userlist.txt: with the passwords themselves, because the pooler logs in to Postgres with them. */
export function poolerUsers(passwords: {
  owner: string;
  app: string;
  temporal: string;
  console: string;
}): string {
  const line = (user: string, password: string) => `"${user}" "${password.replaceAll('"', '""')}"\n`;
  return [
    line(APP_ROLE, passwords.app),
    line(OWNER_ROLE, passwords.owner),
    line(TEMPORAL_ROLE, passwords.temporal),
    line(CONSOLE.user, passwords.console),
  ].join('');
}
