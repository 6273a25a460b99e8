import type { SealContext } from '../../kit/crypto/cipher';
import type { SealedColumn, SealedRow } from '../../stores/operations/sealed-values';
import { authenticatorContext } from '../accounts/authenticator-context';
import { pushContext } from '../a2a/a2a-push';
import { taskMessageContext } from '../a2a/a2a-task-views';
import { taskAcceptanceContext, taskInputContext } from '../a2a/a2a-task-seals';
import { signingSecretContext } from '../catalogue/signing-secret';
import { keptBodyContext } from '../calls/agent/body-keeper';
import { jobContext } from '../calls/agent/job-acceptance';
import { answerContext } from '../calls/invocation-steps';
import { attachmentContext } from '../disputes/dispute-attachments';
import { exportPartContext } from '../leaving/export-part-context';
import { retainedContext } from '../leaving/retained-records';
import { secretContext } from '../market-log/leaves';
import { methodContext, taxFormContext } from '../payouts/payout-accounts';
import { fileContext } from '../payouts/payout-runs';
import { requestKeyContext } from '../evidence/request-keys';
import { signingKeyContext } from '../evidence/signing-keys';
import { credentialContext } from '../catalogue/upstream-credentials';
import { transferContext } from '../payouts/usdc-transfer-step';
import { refundContext } from '../x402/refunds';
import { providerContext } from '../sso/provider-context';
import { payloadContext } from '../webhooks/webhook-deliveries';
import { webhookContext } from '../webhooks/webhook-secrets';

export interface SealedPlace extends SealedColumn {
  /** Description of the values, for operators. */
  name: string;
  context: (row: Pick<SealedRow, 'id' | 'extra'>) => SealContext;
}

/** The call of a question, whose id is behind it. */
const callOf = (id: string) => id.split(' ', 1)[0] ?? '';

/**
 * All columns with sealed values, with the sealing context of each. A column that is missing here is never rotated, so
 * a test compares this list with the columns of the database.
 */
export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    name: 'upstream credentials',
    table: 'upstream_credentials',
    // Agent and origin.
    id: 'credential_id',
    extra: 'header',
    column: 'sealed',
    keyVersion: 'key_version',
    context: ({ id, extra }) => credentialContext(id.split(' ', 1)[0] ?? '', extra),
  },
  {
    name: 'signing secrets of agents',
    table: 'agents',
    id: 'agent_id',
    column: 'signing_secret',
    context: ({ id }) => signingSecretContext(id),
  },
  {
    name: 'keys that sign evidence',
    table: 'signing_keys',
    id: 'kid',
    column: 'sealed_private',
    context: ({ id }) => signingKeyContext(id),
  },
  {
    name: 'keys that sign requests',
    table: 'request_keys',
    id: 'kid',
    column: 'sealed_private',
    context: ({ id }) => requestKeyContext(id),
  },
  {
    name: 'secrets of the market log',
    table: 'market_log_secrets',
    id: 'day',
    column: 'sealed',
    context: ({ id }) => secretContext(id),
  },
  {
    name: 'stored answers',
    table: 'invocation_answers',
    id: 'invocation_id',
    column: 'answer',
    matters: 'expires_at > now()',
    context: ({ id }) => answerContext(id),
  },
  {
    name: 'kept inputs',
    table: 'kept_bodies',
    id: 'invocation_id',
    column: 'input',
    matters: 'expires_at > now()',
    context: ({ id }) => keptBodyContext(id, 'input'),
  },
  {
    name: 'kept outputs',
    table: 'kept_bodies',
    id: 'invocation_id',
    column: 'output',
    matters: 'expires_at > now()',
    context: ({ id }) => keptBodyContext(id, 'output'),
  },
  {
    name: 'inputs of tasks',
    table: 'a2a_tasks',
    id: 'task_id',
    column: 'input',
    context: ({ id }) => taskInputContext(id),
  },
  {
    name: 'tests of tasks',
    table: 'a2a_tasks',
    id: 'task_id',
    column: 'acceptance',
    context: ({ id }) => taskAcceptanceContext(id),
  },
  {
    name: 'messages of tasks',
    table: 'a2a_tasks',
    id: 'task_id',
    column: 'message',
    context: ({ id }) => taskMessageContext(id),
  },
  {
    name: 'addresses of jobs',
    table: 'jobs',
    id: 'invocation_id',
    column: 'location',
    context: ({ id }) => jobContext(id),
  },
  {
    name: 'messages of jobs',
    table: 'jobs',
    id: 'invocation_id',
    column: 'message',
    context: ({ id }) => jobContext(id),
  },
  {
    name: 'ends of jobs',
    table: 'job_ends',
    id: 'invocation_id',
    column: 'body',
    context: ({ id }) => jobContext(id),
  },
  {
    name: 'pieces of jobs',
    table: 'job_pieces',
    // Call and number.
    id: 'piece_id',
    column: 'body',
    context: ({ id }) => jobContext(id.split(' ', 1)[0] ?? ''),
  },
  {
    name: 'ends of probes',
    table: 'probe_jobs',
    id: 'invocation_id',
    column: 'end_body',
    context: ({ id }) => jobContext(id),
  },
  {
    name: 'questions of jobs',
    table: 'job_questions',
    id: 'sealed_id',
    column: 'question',
    context: ({ id }) => jobContext(callOf(id)),
  },
  {
    name: 'answers to questions of jobs',
    table: 'job_questions',
    id: 'sealed_id',
    column: 'answer',
    context: ({ id }) => jobContext(callOf(id)),
  },
  {
    name: 'push addresses of tasks',
    table: 'a2a_push_configs',
    id: 'endpoint_id',
    column: 'sealed',
    context: ({ id }) => pushContext(id),
  },
  {
    name: 'attachments of disputes',
    table: 'dispute_attachments',
    id: 'attachment_id',
    column: 'sealed',
    context: ({ id }) => attachmentContext(id),
  },
  {
    name: 'payout methods',
    table: 'payout_methods',
    id: 'method_id',
    column: 'sealed',
    context: ({ id }) => methodContext(id),
  },
  {
    name: 'tax forms',
    table: 'tax_forms',
    id: 'form_id',
    column: 'sealed',
    context: ({ id }) => taxFormContext(id),
  },
  {
    name: 'files for banks',
    table: 'payout_files',
    id: 'file_id',
    column: 'sealed',
    context: ({ id }) => fileContext(id),
  },
  {
    name: 'authorizations of transfers',
    table: 'payout_transfers',
    id: 'transfer_id',
    column: 'sealed',
    context: ({ id }) => transferContext(id),
  },
  {
    name: 'authorizations of refunds to paying addresses',
    table: 'x402_refunds',
    id: 'refund_id',
    column: 'sealed',
    context: ({ id }) => refundContext(id),
  },
  {
    name: 'waiting deliveries',
    table: 'webhook_deliveries',
    id: 'delivery_id',
    column: 'payload',
    context: ({ id }) => payloadContext(id),
  },
  {
    name: 'addresses and secrets of webhooks',
    table: 'webhooks',
    id: 'webhook_id',
    column: 'sealed',
    context: ({ id }) => webhookContext(id),
  },
  {
    name: 'client secrets of identity providers',
    table: 'identity_providers',
    id: 'provider_id',
    column: 'sealed',
    context: ({ id }) => providerContext(id),
  },
  {
    name: 'parts of exports',
    table: 'account_export_parts',
    // Export and number.
    id: 'part_id',
    column: 'sealed',
    context: ({ id }) => exportPartContext(id),
  },
  {
    name: 'records of deleted accounts',
    table: 'retained_records',
    id: 'user_id',
    column: 'sealed',
    context: ({ id }) => retainedContext(id),
  },
  {
    name: 'secrets of authenticator apps',
    table: 'authenticators',
    id: 'user_id',
    column: 'sealed',
    context: ({ id }) => authenticatorContext(id),
  },
];
