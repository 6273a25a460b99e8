import { isPaymentRequired } from '@x402/core/schemas';
import { MarketError, type UnpaidCall } from '../errors';
import { paymentRequired, type PaymentRequired } from './payment-required';

const place = {
  origin: 'https://market.example',
  resourceUrl: 'https://market.example/mcp/a/agt_echo_v1',
};
const unpaid = {
  agentId: 'agt_echo_v1',
  displayName: 'Echo',
  creditsNeeded: 10,
  timeoutMs: 30_500,
  x402: null,
};

function required(payment: UnpaidCall): PaymentRequired {
  const error = new MarketError('insufficient_credits', { message: 'This call needs 10 credits.', payment });
  const object = paymentRequired(error, place);
  if (!object) throw new Error('no object');
  return object;
}

describe('payment-required data', () => {
  it('has every field that x402 version 2 requires', () => {
    expect(required(unpaid)).toEqual({
      x402Version: 2,
      error: 'insufficient_credits: This call needs 10 credits.',
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
            reason: 'insufficient_credits: This call needs 10 credits.',
            usd_cents_per_credit: 1,
            balance_url: 'https://market.example/v1/billing/balance',
            topup_url: 'https://market.example/v1/billing/topup',
          },
        },
      ],
      extensions: {},
    });
  });

  it('is what x402 clients recognize', () => {
    expect(isPaymentRequired(required(unpaid))).toBe(true);
    expect(isPaymentRequired({ ...required(unpaid), accepts: undefined })).toBe(false);
  });

  it('is absent for errors that are about no call', () => {
    expect(paymentRequired(new MarketError('insufficient_credits'), place)).toBeUndefined();
  });

  it('offers no payment that the service would refuse, and still states the price in USD', () => {
    const { accepts, extensions } = required({ ...unpaid, x402: { priceUsd: '0.1', payTo: '0xabc' } });
    expect(accepts.map(({ scheme }) => scheme)).toEqual(['credits']);
    expect(extensions).toEqual({ 'io.market/x402-price': { info: { price_usd: '0.1', pay_to: '0xabc' } } });
  });
});
