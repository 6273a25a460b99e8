/**
 * How many rows the statements of a market read. Every connection of the database gets auto_explain, which sends the
 * plan of each statement, with its real counts, as a notice; statements inside functions too.
 */
import type { Pool, PoolClient } from 'pg';
import { withClient } from '../../../src/runtime/postgres/database';
import { testStack } from '../stack/database';
import { superuserUrl } from '../stack/stack';
import { eventually } from '../waits';

export interface Statement {
  text: string;
  rowsRead: number;
  /** Tables and partitions that were looked into, also without a row. */
  tables: number;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** Rows of tables that a plan read: those it used and those it threw away. */
function rowsOf(node: PlanNode): number {
  const loops = node['Actual Loops'] ?? 0;
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const isTable = node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan');
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0);
  return (isTable ? each * loops : 0) + below;
}

/** Tables and partitions that a plan looked into. */
function tablesOf(node: PlanNode): string[] {
  const own =
    node['Relation Name'] !== undefined && (node['Actual Loops'] ?? 0) > 0 ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(tablesOf)];
}

function statementOf(message: string): Statement | undefined {
  const at = message.indexOf('plan:\n');
  if (at < 0) return undefined;
  const plan = JSON.parse(message.slice(at + 6)) as { 'Query Text': string; Plan: PlanNode };
  return {
    text: plan['Query Text'],
    rowsRead: Math.round(rowsOf(plan.Plan)),
    tables: new Set(tablesOf(plan.Plan)).size,
  };
}

/** Resolves when a pool has noticed that its connections are gone. */
async function reconnected(pool: Pool): Promise<void> {
  const answers = () =>
    pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
  await eventually(answers, 5_000);
}

/** Measures the statements of these pools from now on. Returns what measures those of some work. */
export async function meterRows(database: string, pools: readonly Pool[]) {
  let seen: Statement[] = [];
  for (const pool of pools) {
    pool.on('connect', (client: PoolClient) => {
      client.on('notice', ({ message }) => {
        const statement = statementOf(message ?? '');
        if (statement) seen.push(statement);
      });
    });
  }
  await withClient(superuserUrl(testStack().postgresPort), async (client) => {
    for (const [name, value] of Object.entries(SETTINGS)) {
      await client.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
    }
    // The settings are for new connections.
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = 'market_app'`,
      [database],
    );
  });
  for (const pool of pools) await reconnected(pool);
  /** Runs work and returns its statements, the one that read most first. */
  return async (work: () => Promise<unknown>): Promise<Statement[]> => {
    seen = [];
    await work();
    return [...seen].sort((a, b) => b.rowsRead - a.rowsRead);
  };
}
