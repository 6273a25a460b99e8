/** What must be true after the last fault, within a minute. Each problem is a sentence. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, WorkflowClient } from '@temporalio/client';
import { checkLedger } from '../../../src/services/ledger/ledger-check';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { balance, invoke, type TestUser } from '../market';
import { testPool } from '../stack/pool';
import { eventually } from '../waits';
import type { Told } from './client';
import { BODY_CANARY, CREDITS, type Ground } from './ground';

const HEAL_MS = 60_000;

interface Row {
  id: string;
  buyer: string;
  key: string | null;
  surface: string;
  status: string;
  charged: number;
  returned: number;
  idempotent: boolean;
}

export async function problemsAfter(ground: Ground, told: readonly Told[]): Promise<string[]> {
  const problems: string[] = [];
  const must = (name: string, holds: () => Promise<boolean>) =>
    eventually(holds, HEAL_MS, 500).catch(() => void problems.push(`after ${HEAL_MS / 1_000} s: ${name}`));
  await must('calls or holds are open', async () => (await countOpen(ground)) === 0);
  await must('workflows of calls run', async () => (await openWorkflows(ground)) === 0);
  await must('webhooks are not delivered', async () => (await undelivered(ground)).length === 0);
  if (ground.hook.wrong.length > 0)
    problems.push(`${ground.hook.wrong.length} webhooks have a wrong signature`);
  const rows = await readCalls(ground);
  problems.push(...(await problemsOfLedger(ground)));
  problems.push(...problemsOfTold(rows, told));
  problems.push(...(await problemsOfWallets(ground, rows)));
  problems.push(...problemsOfDeliveries(ground, rows));
  problems.push(...(await problemsOfReplays(ground, told)));
  problems.push(...canaries(ground));
  return problems;
}

async function countOpen({ stack }: Ground): Promise<number> {
  const { rows } = await stack.owner.query<{ open: string }>(
    `SELECT (SELECT count(*) FROM holds WHERE state = 'open')
          + (SELECT count(*) FROM invocations WHERE status IN ('pending', 'running')) AS open`,
  );
  return Number(rows[0]?.open);
}

async function openWorkflows({ stack }: Ground): Promise<number> {
  const connection = await Connection.connect({ address: stack.environment()['TEMPORAL_ADDRESS'] ?? '' });
  const client = new WorkflowClient({ connection, namespace: 'default' });
  let open = 0;
  for await (const { workflowId } of client.list({ query: `ExecutionStatus = 'Running'` }))
    if (workflowId.startsWith('invocation/')) open += 1;
  await connection.close();
  return open;
}

async function readCalls({ stack }: Ground): Promise<Row[]> {
  const { rows } = await stack.owner.query<Row>(
    `SELECT i.invocation_id AS id, i.buyer_user_id AS buyer, i.idempotency_key AS key, i.surface, i.status,
            i.charged_units::float8 AS charged, coalesce(v.idempotent, false) AS idempotent,
            coalesce((SELECT sum(e.amount_units) FROM entries e JOIN transactions t USING (transaction_id)
               JOIN accounts a ON a.account_id = e.account_id AND a.kind = 'wallet' AND a.user_id = i.buyer_user_id
              WHERE t.reference = 'invocation/' || i.invocation_id || '/clawback'), 0)::float8 AS returned
       FROM invocations i JOIN agent_versions v USING (version_id)`,
  );
  return rows;
}

async function problemsOfLedger({ stack, commands }: Ground): Promise<string[]> {
  const pool = testPool(stack.environment()['DATABASE_URL']);
  const cipher = createCipher(parseMasterKeys(commands['MASTER_KEYS'] ?? ''));
  const { proofs } = await checkLedger(pool, { cipher });
  await pool.end();
  return proofs.flatMap(({ name, findings }) =>
    findings.slice(0, 5).map(({ subject, problem }) => `ledger, ${name}: ${subject} ${problem}`),
  );
}

/** What each client has heard is true: charges with their amount, failures and refusals without one. */
function problemsOfTold(rows: readonly Row[], told: readonly Told[]): string[] {
  const problems: string[] = [];
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { outcome, invocationId, credits, surface } of told) {
    if (invocationId === undefined) continue;
    const row = byId.get(invocationId);
    if (!row) problems.push(`${invocationId}: was told as ${outcome} and does not exist`);
    else if (outcome === 'charged' && row.charged === 0)
      problems.push(`${invocationId}: was told as charged and is ${row.status}`);
    else if (outcome === 'charged' && credits > 0 && row.charged !== credits * 100)
      problems.push(`${invocationId}: cost ${row.charged} units, and ${credits} credits were told`);
    else if (outcome === 'failed' && surface !== 'job' && row.charged !== 0)
      problems.push(`${invocationId}: was told as failed and cost ${row.charged} units`);
  }
  const seen = new Map<string, string>();
  for (const { id, buyer, key, charged } of rows) {
    if (key === null || charged === 0) continue;
    const once = `${buyer} ${key}`;
    if (seen.has(once)) problems.push(`${id}: its key was charged before, for ${seen.get(once)}`);
    seen.set(once, id);
  }
  return [...problems, ...problemsOfCounts(rows, told)];
}

/** Where answers name no call: as many charges as answers said, and at most as many more as had no answer. */
function problemsOfCounts(rows: readonly Row[], told: readonly Told[]): string[] {
  const problems: string[] = [];
  for (const surface of ['mcp', 'a2a'] as const) {
    for (const buyer of new Set(told.map((call) => call.buyer.userId))) {
      const own = told.filter((call) => call.surface === surface && call.buyer.userId === buyer);
      const sure = own.filter(({ outcome }) => outcome === 'charged').length;
      const unsure = own.filter(({ outcome }) => outcome === 'unknown' || outcome === 'refused').length;
      const charged = rows.filter(
        (row) => row.buyer === buyer && row.surface.startsWith(surface) && row.charged > 0,
      ).length;
      if (charged < sure || charged > sure + unsure)
        problems.push(
          `${buyer}: ${charged} charges by ${surface}, told were ${sure}, without answer ${unsure}`,
        );
    }
  }
  return problems;
}

async function problemsOfWallets({ stack, buyers }: Ground, rows: readonly Row[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { userId } of buyers) {
    const own = rows.filter(({ buyer }) => buyer === userId);
    const spent = own.reduce((sum, { charged, returned }) => sum + charged - returned, 0);
    const has = await balance(stack.owner, userId, 'wallet');
    if (has !== CREDITS * 100 - spent)
      problems.push(`${userId}: has ${has} units, and its calls leave ${CREDITS * 100 - spent}`);
  }
  return problems;
}

/** At most one delivery of each call, unless its agent may be called again; no charge without one. */
function problemsOfDeliveries({ recorder }: Ground, rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { invocationId } of recorder.deliveries)
    counts.set(invocationId, (counts.get(invocationId) ?? 0) + 1);
  return rows.flatMap(({ id, idempotent, charged }) => {
    const count = counts.get(id) ?? 0;
    if (count > 1 && !idempotent) return [`${id}: was delivered ${count} times`];
    return charged > 0 && count === 0 ? [`${id}: was charged and never delivered`] : [];
  });
}

async function undelivered({ stack, hook, buyers }: Ground): Promise<string[]> {
  const { rows } = await stack.owner.query<{ id: string }>(
    `SELECT invocation_id AS id FROM invocations WHERE buyer_user_id = $1 AND status IN ('succeeded', 'failed')`,
    [buyers[0]?.userId],
  );
  return rows.map(({ id }) => id).filter((id) => !hook.taken.has(id));
}

/** Calls that succeeded with a key answer the same again. */
async function problemsOfReplays(ground: Ground, told: readonly Told[]): Promise<string[]> {
  const problems: string[] = [];
  const [api] = ground.apis();
  const keyed = told.filter(
    ({ surface, outcome, key }) => surface === 'invoke' && outcome === 'charged' && key,
  );
  for (const { key, invocationId, buyer } of keyed.slice(-10)) {
    for (const agentId of await agentOf(ground, buyer, invocationId)) {
      const again = await invoke(api?.service ?? { url: '' }, buyer, agentId, {
        input: {},
        idempotency_key: key,
      });
      const isKnown = again.status === 409 || again.body.invocation_id === invocationId;
      if (!isKnown)
        problems.push(`${invocationId}: its key bought ${again.body.invocation_id} (${again.status})`);
    }
  }
  return problems;
}

async function agentOf({ stack }: Ground, _buyer: TestUser, id: string | undefined): Promise<string[]> {
  const { rows } = await stack.owner.query<{ agent: string }>(
    'SELECT agent_id AS agent FROM invocations WHERE invocation_id = $1',
    [id],
  );
  return rows.map(({ agent }) => agent);
}

/** No text of a call is in logs or in the histories of Temporal. */
function canaries({ stack }: Ground): string[] {
  const files = readdirSync(stack.home).filter(
    (name) => name.endsWith('.log') || name.startsWith('temporal.db'),
  );
  return files.flatMap((name) => {
    try {
      execFileSync('grep', ['-qa', BODY_CANARY, join(stack.home, name)]);
      return [`${name} has the text of a call`];
    } catch {
      return [];
    }
  });
}
