import { credits, type ExportedList } from './exported-list';

/** Money, and the calls that the account pays. */
export const BUYER_LISTS: readonly ExportedList[] = [
  {
    name: 'balances',
    about: 'What each account of the ledger holds.',
    sql: `SELECT kind, ${credits('balance_units', 'credits')}, updated_at FROM account_balances WHERE user_id = $1 ORDER BY kind`,
  },
  {
    name: 'ledger',
    about: 'Every movement of credits of the account, by account of the ledger.',
    // Account by account in the order of the index: a sort of all entries would keep the first page waiting.
    sql: `SELECT e.entry_id, a.kind AS account, e.transaction_id, t.kind AS transaction, e.entry_type,
                 ${credits('e.amount_units', 'credits')}, ${credits('e.balance_after_units', 'balance_after')},
                 t.invocation_id, t.agent_id, t.description, e.created_at
            FROM (SELECT account_id, kind FROM accounts WHERE user_id = $1 ORDER BY kind) a
            CROSS JOIN LATERAL (
              SELECT * FROM all_entries e WHERE e.account_id = a.account_id ORDER BY e.entry_id) e
            CROSS JOIN LATERAL (
              SELECT * FROM all_transactions t WHERE t.transaction_id = e.transaction_id LIMIT 1) t`,
  },
  {
    name: 'topups',
    about: 'Purchases of credits.',
    sql: `SELECT topup_id, status, amount_minor, tax_minor, currency, ${credits('amount_units', 'credits')}, provider,
                 provider_reference, automatic, failure, created_at, completed_at
            FROM topups WHERE user_id = $1 ORDER BY topup_id`,
  },
  {
    name: 'invoices',
    about: 'Invoices with what they named.',
    sql: `SELECT invoice_id, number, topup_id, status, amount_minor, tax_minor, currency,
                 ${credits('amount_units', 'credits')}, billed_to, issuer, tax, issued_at
            FROM invoices WHERE user_id = $1 ORDER BY invoice_id`,
  },
  {
    name: 'invoice_notes',
    about: 'Credit notes and their reversals.',
    sql: `SELECT note_id, kind, number, invoice_id, reversal_id, amount_minor, tax_minor,
                 ${credits('amount_units', 'credits')}, issued_at
            FROM invoice_notes WHERE user_id = $1 ORDER BY note_id`,
  },
  {
    name: 'payment_reversals',
    about: 'Payments that were taken back.',
    sql: `SELECT reversal_id, kind, payment_id, amount_minor, currency, state, ${credits('reversed_units', 'reversed_credits')},
                 ${credits('owed_units', 'owed_credits')}, received_at, taken_at
            FROM payment_reversals WHERE user_id = $1 ORDER BY reversal_id`,
  },
  {
    name: 'payment_methods',
    about: 'Payment methods that are saved at a payment provider.',
    sql: `SELECT method_id, provider, label, currency, created_at, ended_at FROM saved_methods
           WHERE user_id = $1 ORDER BY method_id`,
  },
  {
    name: 'automatic_topups',
    about: 'The automatic top-up.',
    sql: `SELECT method_id, ${credits('below_units', 'below_credits')}, ${credits('buy_units', 'buy_credits')}, max_per_day,
                 ${credits('max_month_units', 'max_month_credits')}, stopped_for, updated_at
            FROM auto_topups WHERE user_id = $1`,
  },
  {
    name: 'budgets',
    about: 'Budgets of the account.',
    sql: `SELECT budget_id, member_user_id, tag, ${credits('cap_units', 'cap_credits')}, cap_window, created_at FROM budgets
           WHERE user_id = $1 ORDER BY budget_id`,
  },
  {
    name: 'balance_alerts',
    about: 'The balance below which the account is notified.',
    sql: `SELECT ${credits('below_units', 'below_credits')}, told_at FROM balance_alerts WHERE user_id = $1`,
  },
  {
    name: 'pay_per_call',
    about: 'Payments for single calls (x402).',
    sql: `SELECT payment_id, network, asset, payer, pay_to, amount_minor, agent_id, invocation_id, state, tx_hash, reason,
                 created_at, ended_at
            FROM x402_payments WHERE user_id = $1 ORDER BY payment_id`,
  },
  {
    name: 'calls',
    about: 'Calls that the account paid.',
    sql: `SELECT invocation_id, agent_id, version, surface, status, error_code, ${credits('price_units', 'price_credits')},
                 ${credits('charged_units', 'charged_credits')}, ${credits('returned_units', 'returned_credits')}, free,
                 idempotency_key, key_id, mandate_id, metadata, input_sha256, output_sha256, input_bytes, output_bytes,
                 tokens_in, tokens_out, duration_ms, trace_id, invoked_at, settled_at
            FROM all_invocations WHERE buyer_user_id = $1 ORDER BY invocation_id`,
  },
  {
    name: 'receipts',
    about: 'Signed receipts of these calls, as far as they were read: compact JWS.',
    sql: `SELECT v.invocation_id, v.kid, v.signature, v.signed_at, r.signature AS refund_signature
            FROM all_invocations i JOIN invocation_evidence v ON v.invocation_id = i.invocation_id
            LEFT JOIN refund_evidence r ON r.invocation_id = i.invocation_id
           WHERE i.buyer_user_id = $1 ORDER BY i.invocation_id`,
  },
  {
    name: 'kept_bodies',
    about: 'Inputs and outputs of calls that the account keeps.',
    sql: `SELECT k.invocation_id, encode(k.input, 'base64') AS input, encode(k.output, 'base64') AS output, k.too_large,
                 k.kept_at, k.expires_at
            FROM kept_bodies k JOIN users u ON u.user_id = k.buyer_user_id
           WHERE k.buyer_user_id = $1 AND k.expires_at > now()
             AND k.kept_at >= coalesce(u.erase_kept_before, '-infinity') ORDER BY k.invocation_id`,
    sealed: 'kept_bodies',
    large: true,
  },
  {
    name: 'tasks',
    about: 'Tasks that the account sent by A2A.',
    sql: `SELECT task_id, agent_id, context_id, state, state_at, created_at FROM a2a_tasks
           WHERE caller_user_id = $1 ORDER BY task_id`,
  },
  {
    name: 'reviews',
    about: 'Reviews that the account wrote.',
    sql: `SELECT review_id, invocation_id, agent_id, version, rating, body, weight, created_at, answer, answered_at, removed_at,
                 removal_reason FROM reviews WHERE buyer_user_id = $1 ORDER BY review_id`,
  },
  {
    name: 'disputes',
    about: 'Disputes that the account opened, and those about its agents.',
    sql: `SELECT dispute_id, invocation_id, agent_id, CASE WHEN buyer_user_id = $1 THEN 'buyer' ELSE 'developer' END AS side,
                 reason, description, status, resolution, ${credits('refunded_units', 'refunded_credits')}, opened_at,
                 respond_by, responded_at, resolved_at
            FROM disputes WHERE buyer_user_id = $1 OR developer_user_id = $1 ORDER BY dispute_id`,
  },
  {
    name: 'dispute_texts',
    about: 'Texts of these disputes that the account wrote.',
    sql: `SELECT t.text_id, t.dispute_id, t.body, t.created_at
            FROM disputes d JOIN dispute_texts t ON t.dispute_id = d.dispute_id
           WHERE (d.buyer_user_id = $1 OR d.developer_user_id = $1) AND t.author_user_id = $1 ORDER BY t.text_id`,
  },
  {
    name: 'dispute_attachments',
    about: 'Inputs and outputs that the account attached to disputes.',
    sql: `SELECT a.attachment_id, a.dispute_id, a.part, encode(a.sealed, 'base64') AS sealed, a.created_at
            FROM disputes d JOIN dispute_attachments a ON a.dispute_id = d.dispute_id
           WHERE d.buyer_user_id = $1 ORDER BY a.attachment_id`,
    sealed: 'attachment',
    large: true,
  },
  {
    name: 'dispute_offers',
    about: 'Parts of charges that were offered in these disputes.',
    sql: `SELECT o.offer_id, o.dispute_id, ${credits('o.units', 'credits')}, o.status, o.offered_at, o.answered_at
            FROM disputes d JOIN dispute_offers o ON o.dispute_id = d.dispute_id
           WHERE d.buyer_user_id = $1 OR d.developer_user_id = $1 ORDER BY o.offer_id`,
  },
];
