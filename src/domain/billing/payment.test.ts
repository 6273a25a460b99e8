import { providerOf, readProviderRoutes } from './payment';

it.each([
  ['sandbox', ['sandbox', 'sandbox', 'sandbox']],
  ['razorpay:INR,stripe', ['razorpay', 'stripe', 'stripe']],
  ['stripe:USD+EUR, razorpay:INR', ['razorpay', 'stripe', 'stripe']],
  ['stripe:USD', [undefined, 'stripe', undefined]],
])('routes currencies of %s', (text, expected) => {
  const routes = readProviderRoutes(text) ?? [];
  expect((['INR', 'USD', 'EUR'] as const).map((currency) => providerOf(routes, currency))).toEqual(expected);
});

it.each([
  '',
  'paypal',
  'stripe:',
  'stripe:CHF',
  'stripe,stripe:INR',
  'stripe:USD:EUR',
  'stripe;razorpay',
  'stripe,',
])('refuses "%s"', (text) => expect(readProviderRoutes(text)).toBeUndefined());
