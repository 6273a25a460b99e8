import { refusalMessage, type RefusedCall } from './refusal-message';

const call: RefusedCall = {
  code: 'insufficient_credits',
  neededUnits: 500,
  leftUnits: 125,
  ceilingCredits: null,
  isMetered: false,
  isForeignWallet: false,
};

describe('the message of a refusal', () => {
  it.each<[string, Partial<RefusedCall>, string]>([
    [
      'names price, balance and the amount to top up',
      {},
      'This call needs 5 credits; the wallet has 1.25 credits available. Top up at least 3.75 credits (POST /v1/billing/topup), then repeat the call.',
    ],
    [
      'names the ceiling as a way to hold less',
      { isMetered: true, neededUnits: 200, leftUnits: 100 },
      'This call needs 2 credits; the wallet has 1 credit available. Top up at least 1 credit (POST /v1/billing/topup), then repeat the call. A lower max_cost_credits makes the call hold less.',
    ],
    [
      'does not show the balance of another account',
      { isForeignWallet: true },
      "This call needs 5 credits; the wallet of the mandate's issuer holds too few. The issuer must top it up.",
    ],
    [
      'names what is left of a cap',
      { code: 'credit_cap_exceeded' },
      'This call needs 5 credits; the API key or the connected application has 1.25 credits left of its credit cap. Raise the cap (PATCH /v1/keys/{key_id}, or market grants change for an application).',
    ],
    [
      'names whose budget refuses',
      {
        code: 'budget_exceeded',
        window: { window: 'lifetime', cap_units: 600, member: 'Ada', organisation: 'Acme' },
      },
      'This call needs 5 credits; the budget of Ada in Acme (6 credits in total) has 1.25 credits left. An owner, an admin or finance can raise it (PUT /v1/organisations/{org_id}/members/{user_id}/budget, or market orgs set-budget), or wait until it begins anew.',
    ],
    [
      'names price and ceiling',
      { code: 'max_cost_exceeded', leftUnits: null, ceilingCredits: 3 },
      'This call costs 5 credits, more than max_cost_credits (3). Raise max_cost_credits, or leave it out.',
    ],
    [
      'names what is left of a budget',
      { code: 'mandate_exceeded', reason: 'budget', leftUnits: 300 },
      'This call needs 5 credits; the mandate has 3 credits left. The issuer must sign a new mandate.',
    ],
  ])('%s', (_what, facts, message) => {
    expect(refusalMessage({ ...call, ...facts })).toBe(message);
  });

  it('has a sentence of its own for every reason of a mandate', () => {
    const reasons = [
      'key_removed',
      'content_changed',
      'revoked',
      'proof_used',
      'per_call',
      'occurrences',
    ] as const;
    const messages = reasons.map((reason) => refusalMessage({ ...call, code: 'mandate_invalid', reason }));
    expect(new Set(messages).size).toBe(reasons.length);
    expect(messages.every((message) => message?.endsWith('.'))).toBe(true);
  });

  it('leaves other refusals to the message of their code', () => {
    expect(refusalMessage({ ...call, code: 'concurrency_limited' })).toBeUndefined();
  });
});
