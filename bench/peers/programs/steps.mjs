/** The steps of a lean peer: the same four for each engine, so that only the engine differs. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import pg from 'pg';
import { Agent, request } from 'undici';

export const PRICE = 500;
export const pool = new pg.Pool({ connectionString: process.env.LEAN_URL, max: 16 });
const agents = new Agent({
  connections: 64,
  connect: { ca: readFileSync(process.env.AGENT_CA_FILE, 'utf8') },
});
const validate = new Ajv().compile({
  type: 'object',
  properties: { text: { type: 'string' }, n: { type: 'integer' } },
  required: ['text'],
});

/** The buyer of a key. Throws for an unknown one. */
export async function authenticate(key) {
  const hash = createHash('sha256').update(key).digest('hex');
  const { rows } = await pool.query({
    name: 'key',
    text: 'SELECT buyer FROM keys WHERE hash = $1',
    values: [hash],
  });
  if (!rows[0]) throw new Error('unknown key');
  return rows[0].buyer;
}

export async function hold(id, buyer) {
  await pool.query({ name: 'hold', text: 'SELECT hold($1, $2, $3)', values: [id, buyer, PRICE] });
}

/** Calls the agent that takes `pause` ms. */
export async function forward(id, { pause, input }) {
  const { statusCode, body } = await request(process.env[`AGENT_URL_${pause}`], {
    method: 'POST',
    dispatcher: agents,
    headers: { 'content-type': 'application/json', 'x-invocation-id': id },
    body: JSON.stringify(input),
  });
  const output = await body.json();
  if (statusCode !== 200 || !validate(output)) throw new Error(`the agent answered ${statusCode}`);
  return output;
}

export async function settle(id, output) {
  await pool.query({ name: 'settle', text: 'SELECT settle($1, $2)', values: [id, JSON.stringify(output)] });
}
