/** The lists of what waits for an operator. */
const MOST = 100;

export const DECISION_LISTS = {
  disputes: ['/v1/operator/disputes', { query: { status: 'contested', limit: MOST } }],
  // Without a state: applied and contested ones, so that one answer says where a slash stands.
  slashes: ['/v1/operator/slashes', { query: { limit: MOST } }],
  contests: ['/v1/operator/contests', { query: { status: 'open', limit: MOST } }],
  waivers: ['/v1/operator/waivers', { query: { holding: 'true', limit: MOST } }],
  payments: ['/v1/operator/payments', { query: { state: 'quarantined', limit: MOST } }],
  payouts: ['/v1/operator/payouts', { query: { status: 'failed', limit: MOST } }],
  taxForms: ['/v1/operator/tax-forms', { query: { limit: MOST } }],
} as const;
