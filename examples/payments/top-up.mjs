/**
 * Tops the demonstration buyer's wallet up by the sandbox of Stripe: `node examples/payments/top-up.mjs [<dollars>]`.
 * Run `npm start -- --payments` first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { post, runtime } from './local.mjs';

const dollars = Number(process.argv[2] ?? '5');
const json = { 'content-type': 'application/json' };
const login = await fetch(`${runtime.api_url}/v1/auth/login`, {
  method: 'POST',
  headers: json,
  body: JSON.stringify(runtime.accounts.buyer),
});
const [cookie] = login.headers.get('set-cookie').split(';');
const credits = async () => {
  const answer = await fetch(`${runtime.api_url}/v1/billing/balance`, { headers: { cookie } });
  return (await answer.json()).available_credits;
};

const before = await credits();
const begun = Date.now();
const answer = await fetch(`${runtime.api_url}/v1/billing/topup`, {
  method: 'POST',
  headers: { ...json, cookie },
  body: JSON.stringify({ amountPaise: Math.round(dollars * 100), currency: 'USD', save_method: true }),
});
const topup = await answer.json();
console.log(
  `top-up of ${dollars.toFixed(2)} USD: ${topup.status}, pay at ${new URL(topup.payment_url).pathname}`,
);
const { status } = await post(
  new URL(topup.payment_url).pathname,
  'pays=1',
  'application/x-www-form-urlencoded',
);
if (status !== 303) throw new Error(`the page answered ${status}`);
const deadline = Date.now() + 20_000;
while ((await credits()) === before && Date.now() < deadline) await sleep(100);
console.log(`${before} → ${await credits()} credits, ${Date.now() - begun} ms after the request`);
