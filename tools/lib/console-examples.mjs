import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { callerOf, ensureCredits, eventually } from './scenes.mjs';
import { makeMondays } from './console-mondays.mjs';

const DECISIONS = 55;
const UNTIDY = 'untidy-profiler';

/**
 * Makes content for every page of the console with the demonstration accounts of a running `npm start`, so that no page
 * is empty and long lists have a second page. Repeated runs add only what is missing. Throws if the API refuses a
 * request.
 */
export async function makeConsoleExamples({ root, runtime, contextOf }) {
  const contexts = {
    buyer: await contextOf('buyer'),
    developer: await contextOf('developer'),
    operator: await contextOf('operator'),
  };
  const as = Object.fromEntries(
    Object.entries(contexts).map(([role, context]) => [role, callerOf(runtime, context)]),
  );
  const scene = { root, runtime, as, contexts, agent: runtime.agents[0].agent_id };
  const database = new pg.Client({ connectionString: runtime.postgres_url });
  await database.connect();
  try {
    await makeWebhook(scene);
    await makeCalls(scene);
    await makeCases(scene);
    await makeMondays(scene);
    await makePayments(scene, database);
    await makeFindings(scene);
    await ensureCredits(as.buyer, 100);
  } finally {
    await database.end();
    for (const context of Object.values(contexts)) await context.close();
  }
}

export const converterOf = ({ agents }) => agents.find(({ slug }) => slug === 'unit-converter').agent_id;

/** A webhook with one delivery that fails: nothing listens there. */
async function makeWebhook({ as }) {
  const { items } = await as.buyer('GET', '/v1/webhooks');
  if (items.length > 0) return;
  // The local stack refuses public addresses when it has no network.
  const hook = { url: 'https://127.77.0.1:9443/hooks', types: ['invocation.failed', 'dispute.resolved'] };
  const { webhook_id: id } = await as.buyer('POST', '/v1/webhooks', hook);
  await as.buyer('POST', `/v1/webhooks/${id}/test`);
}

/** Calls of three agents by an API key, one that the schema refuses, and one that fails. */
async function makeCalls({ runtime, as, contexts, agent }) {
  const { items } = await as.buyer('GET', '/v1/keys');
  if (items.length > 0) return;
  await ensureCredits(as.buyer, 2_000);
  const key = { name: 'Production server', scopes: ['agents:invoke', 'agents:read'], credit_cap: 50 };
  const { key: secret } = await as.buyer('POST', '/v1/keys', key);
  const send = (id, input) =>
    contexts.buyer.request.post(`${runtime.api_url}/v1/agents/${id}/invoke`, {
      data: { input },
      headers: { 'X-API-Key': secret },
    });
  for (const { agent_id: id } of runtime.agents.slice(0, 3)) {
    const { examples } = await as.buyer('GET', `/v1/listings/${id}`);
    for (const example of examples.slice(0, 3)) await send(id, example);
  }
  await send(agent, { csv: '' });
  // The agent refuses it, so the call fails.
  await send(converterOf(runtime), { quantity: '5 kg', to: 'm' });
}

/** A contested dispute, a bond with a withdrawal, and a slash that waits for its answer. */
async function makeCases({ as, agent }) {
  const { items: slashes } = await as.developer('GET', '/v1/billing/developer/slashes');
  if (slashes.some(({ status }) => status === 'applied')) return;
  const { items: disputes } = await as.buyer('GET', '/v1/billing/disputes?limit=100');
  const disputed = new Set(disputes.map(({ invocation_id: id }) => id));
  const { items } = await as.buyer('GET', `/v1/invocations?status=succeeded&agent_id=${agent}`);
  const calls = items.filter(({ invocation_id: id }) => !disputed.has(id));
  const opened = await as.buyer('POST', '/v1/billing/disputes', {
    invocation_id: calls[0].invocation_id,
    reason: 'output_incorrect',
    description: 'The profile says that the column "age" is a text. All of its values are numbers.',
  });
  await as.developer('POST', `/v1/billing/disputes/${opened.dispute_id}/respond`, {
    decision: 'contest',
    statement: 'Row 3 of the attached file has the word "unknown" in this column.',
  });
  await ensureCredits(as.developer, 2_000);
  await as.developer('POST', '/v1/billing/developer/bond/deposit', { credits: 1_000 });
  await as.developer('POST', '/v1/billing/developer/bond/withdraw', { credits: 100 });
  await as.operator('POST', '/v1/operator/slashes', {
    agent_id: agent,
    credits: 50,
    explanation: 'The agent returned the same profile for different files on 20 November.',
    evidence: { output_sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9' },
    invocation_ids: [calls[1].invocation_id],
  });
}

/** Payments whose top-up is unknown, as a provider would report them. The local stack has no provider. */
async function makePayments({ as }, database) {
  const { items } = await as.operator('GET', '/v1/operator/payments?state=quarantined&limit=100');
  for (let index = items.length; index < DECISIONS; index++) {
    const [event, payment, topup] = ['evt', 'pay', 'top'].map((kind) => `${kind}_example${index}`);
    await database.query("SELECT payment_record('razorpay', $1, 'payment_link.paid', $2, $3, $4, 'INR')", [
      event,
      payment,
      topup,
      50_000 + index * 100,
    ]);
  }
}

/** An agent with more findings than one page shows, one of which its developer contests. */
async function makeFindings({ root, as, agent }) {
  const untidy = `agt_${UNTIDY.replaceAll('-', '_')}_v1`;
  const { items } = await as.developer('GET', '/v1/developer/agents?limit=100');
  if (!items.some(({ agent_id: id }) => id === untidy)) {
    const { manifest } = await as.developer('GET', `/v1/developer/agents/${agent}/versions/1.0.0`);
    const own = { ...manifest, agent_id: UNTIDY, display_name: 'Untidy profiler' };
    const bundle = untidySource(root).toString('base64');
    await as.developer('POST', '/v1/developer/agents', { manifest: own, bundle_base64: bundle });
  }
  const findings = `/v1/developer/agents/${untidy}/findings`;
  const isCritical = ({ severity }) => severity === 'critical';
  const found = await eventually(async () => {
    const { items: all } = await as.developer('GET', `${findings}?limit=100`);
    return all.some(isCritical) && all;
  });
  if (found.some(({ contest }) => contest)) return;
  const first = found.find(isCritical);
  const statement = 'The key belongs to the public sandbox of the provider.';
  await as.developer('POST', `${findings}/${first.finding_id}/contest`, { statement });
}

/** The source of an agent with a key in each of its settings, as a gzipped tar. */
function untidySource(root) {
  const folder = mkdtempSync(join(tmpdir(), 'untidy-'));
  try {
    cpSync(join(root, 'examples/agents/csv-profiler/profile.mjs'), join(folder, 'profile.mjs'));
    mkdirSync(join(folder, 'settings'));
    for (let index = 0; index < DECISIONS; index++)
      writeFileSync(join(folder, `settings/customer-${index + 1}.env`), settingsOf(index));
    return execFileSync('tar', ['-czf', '-', '-C', folder, 'profile.mjs', 'settings']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function settingsOf(index) {
  const id = keyOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16, index);
  const secret = keyOf('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/', 40, index);
  return `AWS_ACCESS_KEY_ID=AKIA${id}\nAWS_SECRET_ACCESS_KEY=${secret}\n`;
}

/** Letters and digits that look random and are the same in each run. */
function keyOf(alphabet, length, seed) {
  let state = seed * 7_919 + 1;
  const letters = Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet[state % alphabet.length];
  });
  return letters.join('');
}
