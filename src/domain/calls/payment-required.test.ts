import { paymentRequired, type PaymentTerms } from './payment-required';

const terms: PaymentTerms = {
  origin: 'https://market.example',
  resourceUrl: 'https://market.example/mcp/a/agt_echo_v1',
  agentId: 'agt_echo_v1',
  displayName: 'Echo',
  creditsNeeded: 10,
  timeoutMs: 30_500,
};

describe('payment-required data', () => {
  it('has every field that x402 version 2 asks for', () => {
    expect(paymentRequired(terms)).toEqual({
      x402Version: 2,
      error: 'insufficient_credits: this call needs 10 credits in your wallet',
      resource: {
        url: 'https://market.example/mcp/a/agt_echo_v1',
        description: 'One call of Echo',
        mimeType: 'application/json',
      },
      accepts: [
        {
          scheme: 'credits',
          network: expect.stringMatching(/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/) as string,
          amount: '10',
          asset: 'credit',
          payTo: 'agt_echo_v1',
          maxTimeoutSeconds: 31,
          extra: {
            usd_cents_per_credit: 1,
            balance_url: 'https://market.example/v1/billing/balance',
            topup_url: 'https://market.example/v1/billing/topup',
          },
        },
      ],
      extensions: {},
    });
  });

  it('offers no payment that the service would not take, and still tells the price in USD', () => {
    const { accepts, extensions } = paymentRequired({ ...terms, x402: { priceUsd: '0.1', payTo: '0xabc' } });
    expect(accepts.map(({ scheme }) => scheme)).toEqual(['credits']);
    expect(extensions).toEqual({ 'io.market/x402-price': { info: { price_usd: '0.1', pay_to: '0xabc' } } });
  });
});
