/** The stack of `npm start -- --payments` as programs on this machine use it. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const file = `${process.env.MARKET_HOME ?? '.market'}/runtime.json`;
export const runtime = JSON.parse(readFileSync(file, 'utf8'));
if (!runtime.payments_url) {
  console.error('Payments are off. Start the stack with: npm start -- --payments');
  process.exit(1);
}

/** Sends a POST request to the sandbox, whose certificate is that of the local authority. Returns status and body. */
export function post(path, body, type = 'application/json') {
  const ca = readFileSync(runtime.ca_file);
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, runtime.payments_url),
      { method: 'POST', headers, ca },
      async (answer) => {
        let text = '';
        for await (const chunk of answer) text += chunk;
        resolve({ status: answer.statusCode, text });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
