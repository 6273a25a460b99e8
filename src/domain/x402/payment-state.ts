/**
 * States of a payment by x402 as a table: from → to, and by what (ADR 0309). The database enforces the same
 * transitions. `held`: the payer's wallet was credited for a call that runs. `released`: the call ended unpaid, so the
 * credits were taken back; the authorization can still be used until it ends, by any holder. `settled`: the chain
 * has it, and the credits are the payer's. `expired`: it ended unused.
 */
export const X402_STATES = ['held', 'released', 'settled', 'expired'] as const;
export type X402State = (typeof X402_STATES)[number];

export const X402_TRANSITIONS = {
  held: { settled: 'the payment is on the chain', released: 'the call ended and was not charged' },
  released: {
    held: 'the same payment is sent again for a call',
    settled: 'the payment is on the chain all the same; the credits are given back',
    expired: 'the authorization ended unused',
  },
  settled: {},
  expired: {},
} as const satisfies Record<X402State, Partial<Record<X402State, string>>>;
