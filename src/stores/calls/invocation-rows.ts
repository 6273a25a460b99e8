/** The rows of calls as their buyers read them, and which of them a list has. */
import type { CallMetadata } from '../../domain/calls/call-metadata';
import type { InvocationStatus } from '../../domain/calls/invocation-state';
import type { Truncation } from '../../domain/catalogue/truncation';
import type { ErrorCode } from '../../domain/errors';
import { unitsFromDatabase } from '../../domain/ledger/money';

export interface InvocationRow {
  invocationId: string;
  buyerUserId: string;
  agentId: string;
  /** The name of the agent in the version that was called. */
  agentName: string;
  version: string;
  surface: string;
  status: InvocationStatus;
  errorCode: ErrorCode | null;
  tokensIn: number;
  tokensOut: number;
  durationMs: number;
  /** Set for a streamed answer that was paid as far as it was delivered. */
  truncatedBy: Truncation | null;
  chargedUnits: number;
  invokedAt: Date;
  settledAt: Date | null;
  traceId: string;
  /** The pairs of the buyer. */
  metadata: CallMetadata;
}

export interface RawRow {
  invocation_id: string;
  buyer_user_id: string;
  agent_id: string;
  agent_name: string | null;
  version: string;
  surface: string;
  status: InvocationStatus;
  error_code: ErrorCode | null;
  tokens_in: number | null;
  tokens_out: number | null;
  duration_ms: number | null;
  truncated_by: Truncation | null;
  charged_units: string | null;
  invoked_at: Date;
  settled_at: Date | null;
  trace_id: string;
  metadata: CallMetadata | null;
}

/** The columns of a row `called` of calls that `toRow` reads. */
export const CALL_COLUMNS = `invocation_id, buyer_user_id, agent_id, version, surface, status, error_code, tokens_in, tokens_out,
  duration_ms, truncated_by, charged_units, invoked_at, settled_at, trace_id, metadata,
  (SELECT v.display_name FROM agent_versions v WHERE v.version_id = called.version_id) AS agent_name`;

export interface InvocationFilter {
  buyerUserId: string;
  agentId?: string | undefined;
  status?: InvocationStatus | undefined;
  keyId?: string | undefined;
  /** Only calls with this pair of metadata, such as `project=atlas`. */
  tag?: string | undefined;
  /** Only calls with a question that waits for the buyer. */
  isAsked?: boolean | undefined;
  /** Only calls from this id on. */
  fromId?: string | undefined;
  /** Only calls before this id. */
  toId?: string | undefined;
  /** Only calls older than this id. */
  beforeId?: string | undefined;
  limit: number;
}

export interface InvocationPage {
  rows: InvocationRow[];
  total: number;
  /** Set when the scan ended before the list did: the id of the last call that was compared with the filter. */
  scannedTo: string | undefined;
}

/** The filters that no index serves. */
export const MATCHES = `($2::text IS NULL OR agent_id = $2) AND ($3::text IS NULL OR status = $3)
  AND ($4::text IS NULL OR key_id = $4)`;

export function toRow(row: RawRow): InvocationRow {
  return {
    invocationId: row.invocation_id,
    buyerUserId: row.buyer_user_id,
    agentId: row.agent_id,
    agentName: row.agent_name ?? row.agent_id,
    version: row.version,
    surface: row.surface,
    status: row.status,
    errorCode: row.error_code,
    tokensIn: row.tokens_in ?? 0,
    tokensOut: row.tokens_out ?? 0,
    durationMs: row.duration_ms ?? 0,
    truncatedBy: row.truncated_by,
    chargedUnits: unitsFromDatabase(row.charged_units ?? 0),
    invokedAt: row.invoked_at,
    settledAt: row.settled_at,
    traceId: row.trace_id,
    metadata: row.metadata ?? {},
  };
}
