/** Signed events to the marketplace, as Stripe sends them: again until they are answered with 200. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 20;
const now = () => Math.floor(Date.now() / 1_000);

export function reporter({ marketUrl, webhookSecret }) {
  async function send(body) {
    const time = now();
    const mac = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${mac}` };
    const answer = await fetch(`${marketUrl}/v1/payments/stripe/webhook`, { method: 'POST', headers, body });
    return answer.status;
  }

  return async (eventId, type, object) => {
    const event = { id: eventId, object: 'event', created: now(), type, livemode: false, data: { object } };
    const body = JSON.stringify(event);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      if ((await send(body).catch(() => 0)) === 200) return;
      await sleep(1_000 * attempt);
    }
  };
}
