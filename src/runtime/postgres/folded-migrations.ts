/**
 * The migrations that were folded into the baseline, once and for the last time (ADR 0218), and the files of that
 * baseline. A database that ran all of the first has the tables of the second.
 */
const names = (list: string, ending: string) =>
  list
    .trim()
    .split(/\s+/)
    .map((name) => name + ending);

export const FOLDED = names(
  `
  0001_accounts 0002_ledger 0003_catalogue 0004_calls 0005_mandates 0006_a2a 0007_webhooks 0008_billing
  0009_evidence 0010_ledger_digests 0011_disputes 0012_payouts 0013_bonds 0014_verification 0015_operations
  0016_usage 0018_account_security 0020_oauth 0022_earning_days 0024_ledger_checks 0025_version_numbers
  0026_event_inbox 0028_archived_months 0029_waiting_tax_forms 0030_unconfirmed_cases 0031_payouts_by_status
  0032_waiting_deliveries 0033_ended_counters 0034_lean_calls 0035_lines_of_transactions 0036_fewer_locks
  0037_checks_as_functions 0038_reverifications 0039_buyer_days 0040_penalties 0041_oauth_successors
  0043_credentials_of_endpoints 0044_stored_bytes 0045_search_of_any_words 0046_endpoint_proofs
  0049_one_account_for_an_email 0051_delivery_accounts 0053_rubric_announcements`,
  '.js',
);

export const BASELINE = names(
  `
  0001_accounts 0002_ledger 0003_catalogue 0004_calls 0005_mandates 0006_a2a 0007_webhooks 0008_billing
  0009_evidence 0010_ledger_digests 0011_disputes 0012_payouts 0013_bonds 0014_verification 0015_operations
  0016_usage 0017_oauth 0018_earning_days 0019_archived_months`,
  '.sql',
);
