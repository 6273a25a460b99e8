import { Type } from '@sinclair/typebox';
import { AgentId, Credits, named, Nullable, page, pageQuery, strictObject, text, Timestamp } from './common';
import { JobWait } from './job-holds';
import { defineOperation } from './operation';

const tag = 'Operators';
const operators = { auth: 'session', roles: ['operator'] } as const;
const UserId = text({ maxLength: 36, pattern: '^(usr|org)_[0-9a-f]{32}$' });
const InvocationId = text({ maxLength: 36, pattern: '^inv_[0-9a-f]{32}$' });

const Found = named(
  'FoundSubject',
  strictObject({
    kind: Type.Unsafe<'account' | 'agent' | 'call' | 'dispute' | 'payout' | 'slash' | 'top_up'>({
      type: 'string',
      enum: ['account', 'agent', 'call', 'dispute', 'payout', 'slash', 'top_up'],
    }),
    id: Type.String(),
    user_id: Nullable(Type.String({ description: 'The account whose money it concerns' })),
    invocation_id: Nullable(Type.String()),
    title: Type.String({ description: 'Such as an e-mail address or a state' }),
  }),
);

const user = 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';
const invocation = 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';

export const lookUp = defineOperation({
  id: 'lookUp',
  method: 'get',
  path: '/v1/operator/lookup',
  tag,
  summary: 'Find what an id, a name, an address, an invoice number or the end of a key names',
  description:
    'Ids of accounts, developers, agents, calls, disputes, payouts, slashes and top-ups; other ids find what they ' +
    'belong to. Other texts find accounts by a part of their name or address, agents by a part of their name, the ' +
    'account of an invoice by its number or the end of it, and the accounts of API keys by their last four characters. A ' +
    'trace id finds the calls that this ' +
    'service began with it, and not those of a caller who sent a trace id of their own.',
  ...operators,
  query: strictObject({ q: text({ minLength: 2, maxLength: 320 }) }),
  responses: { 200: strictObject({ items: Type.Array(Found) }) },
  examples: {
    response: {
      items: [{ kind: 'account', id: user, user_id: user, invocation_id: null, title: 'ada@example.org' }],
    },
  },
});

const movementFields = {
  transaction_id: Type.String(),
  account: Type.String({
    examples: ['wallet', 'escrow', 'payable', 'bond', 'slash_hold', 'fees', 'cash'],
    description: 'The kind of the account whose balance moved',
  }),
  entry_type: Type.String(),
  credits: Credits,
  description: Type.String(),
  invocation_id: Nullable(Type.String()),
  created_at: Timestamp,
};

const AccountMovement = named(
  'AccountMovement',
  strictObject({ ...movementFields, balance_after_credits: Credits }),
);

export const listAccountMovements = defineOperation({
  id: 'listAccountMovements',
  method: 'get',
  path: '/v1/operator/accounts/{user_id}/movements',
  tag,
  summary: 'List every movement of an account, newest first',
  description: 'Of its wallet, escrow, payable, bond and slash hold.',
  ...operators,
  params: strictObject({ user_id: UserId }),
  query: strictObject({ ...pageQuery }),
  responses: { 200: page(AccountMovement) },
  errors: ['not_found'],
});

const CallMovement = named(
  'CallMovement',
  strictObject({ ...movementFields, user_id: Nullable(Type.String()) }),
);

const OperatorCall = named(
  'OperatorCall',
  strictObject({
    invocation_id: Type.String(),
    buyer_user_id: Type.String(),
    developer_user_id: Type.String(),
    agent_id: AgentId,
    version: Type.String(),
    surface: Type.String(),
    status: Type.String(),
    error_code: Nullable(Type.String()),
    trace_id: Type.String(),
    invoked_at: Timestamp,
    settled_at: Nullable(Timestamp),
    hold: Nullable(
      strictObject({
        state: Type.String({ examples: ['open', 'captured', 'voided', 'disputed'] }),
        credits: Credits,
        held_at: Timestamp,
        forwarded_at: Nullable(Timestamp),
        forwards: Type.Integer({ description: 'How often the call was sent to the agent' }),
        lease_until: Timestamp,
      }),
    ),
    workflow_id: Type.String(),
    movements: Type.Array(CallMovement, { description: 'Both sides of every transaction, oldest first' }),
  }),
);

export const getOperatorCall = defineOperation({
  id: 'getOperatorCall',
  method: 'get',
  path: '/v1/operator/calls/{invocation_id}',
  tag,
  summary: 'Get the money timeline of a call',
  description: 'Holds neither the input nor the output of the call.',
  ...operators,
  params: strictObject({ invocation_id: InvocationId }),
  responses: { 200: OperatorCall },
  errors: ['not_found'],
  examples: {
    response: {
      invocation_id: invocation,
      buyer_user_id: user,
      developer_user_id: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7c',
      agent_id: 'agt_csv_profiler_v1',
      version: '1.0.0',
      surface: 'invoke',
      status: 'failed',
      error_code: 'agent_error',
      trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
      invoked_at: '2026-11-02T00:00:00.000Z',
      settled_at: '2026-11-02T00:00:01.000Z',
      hold: null,
      workflow_id: `invocation/${invocation}`,
      movements: [],
    },
  },
});

/** 366 days. */
const MOST_SECONDS = 31_622_400;

const Count = Type.Integer({ minimum: 0 });
const waiting = { count: Count, oldest_seconds: Type.Integer({ minimum: 0 }) };
const Waiting = named('WaitingWork', strictObject(waiting));

export const getPlatform = defineOperation({
  id: 'getPlatform',
  method: 'get',
  path: '/v1/operator/platform',
  tag,
  summary: 'Get queues with their lags, open holds by age, and the state of the schema and the ledger',
  description: 'The numbers are at most two seconds old. Long queues are counted up to 10,000.',
  ...operators,
  responses: {
    200: named(
      'Platform',
      strictObject({
        queues: strictObject({
          deliveries: Waiting,
          verifications: Waiting,
          payments_quarantined: Waiting,
          mails: Waiting,
          holds_overdue: Waiting,
          calls: Type.Array(strictObject({ status: Type.String(), surface: Type.String(), count: Count })),
          payouts: Type.Array(strictObject({ status: Type.String(), ...waiting })),
          cases: Type.Array(strictObject({ kind: Type.String(), status: Type.String(), ...waiting })),
        }),
        open_holds: Type.Array(
          strictObject({
            invocation_id: Type.String(),
            agent_id: Type.String(),
            credits: Credits,
            held_at: Timestamp,
            lease_until: Timestamp,
            job: Nullable(
              strictObject(
                {
                  ends_at: Timestamp,
                  heard_at: Timestamp,
                  waits_for: JobWait,
                },
                { description: 'Null for the hold of a call that is no job' },
              ),
            ),
          }),
          { description: 'The twenty whose lease ends first' },
        ),
        schema: strictObject({
          migrations: Count,
          latest: Nullable(Type.String({ examples: ['0018_earning_days.sql'] })),
        }),
        partitions: strictObject({ months_ahead: Type.Integer(), strays: Count }),
        ledger: strictObject({
          sealed_through: Nullable(Type.String({ description: 'The last sealed day' })),
          proven_through: Nullable(
            Type.String({ description: 'The last day that a ledger check has proven' }),
          ),
          proven_at: Nullable(Timestamp),
        }),
        workers: Type.Array(
          strictObject({
            worker: Type.String(),
            last_seen_at: Timestamp,
            alive: Type.Boolean({ description: 'False after 15 s without a report: frozen, or killed' }),
            failing_loops: Type.Array(Type.String()),
          }),
          { description: 'Worker processes of the last hour, the latest report first' },
        ),
        workflows_url: Nullable(Type.String({ description: "Workflows in Temporal's UI" })),
        time_travel: Type.Boolean({ description: 'Clocks of workflows can be moved: outside production' }),
      }),
    ),
  },
});

export const fastForwardWorkflow = defineOperation({
  id: 'fastForwardWorkflow',
  method: 'post',
  path: '/v1/operator/workflows/fast-forward',
  tag,
  summary: 'Move the clock of a workflow forward, outside production',
  description:
    'Its timers fire as if the time had passed. The database and other workflows keep their time. In production the ' +
    'response is 404.',
  ...operators,
  body: strictObject({
    workflow_id: text({ minLength: 3, maxLength: 200, description: 'Such as `dispute/dsp_…`' }),
    seconds: Type.Integer({ minimum: 1, maximum: MOST_SECONDS }),
  }),
  responses: {
    200: strictObject({
      workflow_id: Type.String(),
      state: Type.String({
        description: '`running`, how it ended, or `moving`: the clock has not arrived yet',
      }),
    }),
  },
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
});

export const operatorOverviewOperations = [
  lookUp,
  listAccountMovements,
  getOperatorCall,
  getPlatform,
  fastForwardWorkflow,
];
