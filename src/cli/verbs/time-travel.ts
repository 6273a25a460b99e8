import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { fastForward } from '../../engine/time-travel';
import { verb } from '../command-line';
import { localStack } from '../local-stack';
import { CliFailure, EXIT, usageFailure } from '../failure';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
/** Maps the prefix of an id to its kind of workflow. */
const WORKFLOWS: Record<string, string> = {
  agt: 'verification',
  dsp: 'dispute',
  inv: 'invocation',
  slh: 'slash',
  bwd: 'bond-withdrawal',
};
/** What a workflow is about, by the first part of its id. */
const SUBJECTS: Record<string, string> = {
  verification: 'the verification of',
  dispute: 'the dispute',
  invocation: 'the call',
  slash: 'the slash',
  'bond-withdrawal': 'the withdrawal',
};
const UNIT_NAMES: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };
/** How a workflow ends that did not do its work. */
const FAILED = ['failed', 'terminated', 'timed_out', 'cancelled'];
const CONNECT_TIMEOUT_MS = 5_000;

/** `market time-travel`. */
export function timeTravelVerbs(program: Command): void {
  program
    .command('time-travel')
    .argument(
      '<workflow>',
      'an id of an agent (its verification), call, dispute, slash or withdrawal, or a workflow id',
    )
    .argument('<duration>', 'such as 90d, 72h or 30m')
    .description('moves the clock of one workflow forward, for development')
    .addHelpText(
      'after',
      `
The workflow's timers fire as if the time had passed. The database, activities and other workflows are not affected.
Works only where the Temporal server supports it, as that of npm start does; TEMPORAL_ADDRESS names another server.

Examples:
  market time-travel agt_unit_converter_v1 90d
  market time-travel dsp_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b 72h`,
    )
    .action(
      verb(async (target: string, duration: string) => {
        const workflowId = workflowOf(target);
        const durationMs = milliseconds(duration);
        const state = await withClient((client) => travel(client, workflowId, durationMs));
        return {
          text: sentencesOf(workflowId, duration, state),
          json: { workflow_id: workflowId, duration_ms: durationMs, state },
          exitCode: FAILED.includes(state) ? EXIT.refused : EXIT.done,
        };
      }),
    );
}

/** Says what moved, by how much, and how the workflow stands. */
function sentencesOf(workflowId: string, duration: string, state: string): string {
  const [kind = '', ...rest] = workflowId.split('/');
  const subject = SUBJECTS[kind] ? `${SUBJECTS[kind]} ${rest.join('/')}` : `the workflow ${workflowId}`;
  const amount = Number(duration.slice(0, -1));
  const unit = `${UNIT_NAMES[duration.slice(-1)] ?? ''}${amount === 1 ? '' : 's'}`;
  const moved = `The clock of ${subject} moved forward by ${amount} ${unit}.`;
  if (state === 'running')
    return `${moved} The timers up to then have fired, and the workflow is still running.`;
  if (state === 'completed') return `${moved} The workflow reached its end on the way: it has completed.`;
  return `${moved} The workflow ended on the way: it is ${state.replaceAll('_', ' ')}.`;
}

function workflowOf(target: string): string {
  if (target.includes('/')) return target;
  const kind = WORKFLOWS[target.split('_', 1)[0] ?? ''];
  if (!kind)
    throw usageFailure(
      `${target} is not an id of an agent, call, dispute, slash or withdrawal, and not a workflow id`,
    );
  return `${kind}/${target}`;
}

function milliseconds(duration: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smhdw])$/.exec(duration) ?? [];
  const length = Number(amount) * (UNITS[unit] ?? 0);
  if (length > 0) return length;
  throw usageFailure(`${duration} is not a duration: write, for example, 90d, 72h, 30m or 45s`);
}

async function travel(client: Client, workflowId: string, durationMs: number): Promise<string> {
  try {
    return await fastForward(client, workflowId, durationMs);
  } catch (error) {
    const { code, details, message } = error as { code?: number; details?: string; message: string };
    const NOT_FOUND = 5;
    throw new CliFailure(
      code === NOT_FOUND
        ? `${workflowId} is not running: it has ended, or it never began`
        : details || message,
      EXIT.refused,
      { workflow_id: workflowId },
    );
  }
}

async function withClient<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const stack = localStack();
  const address = process.env['TEMPORAL_ADDRESS'] ?? stack?.temporal_address;
  if (!address)
    throw usageFailure('no Temporal server: set TEMPORAL_ADDRESS, or start the stack with npm start');
  const namespace = process.env['TEMPORAL_NAMESPACE'] ?? stack?.temporal_namespace ?? 'default';
  const connection = await Connection.connect({ address, connectTimeout: CONNECT_TIMEOUT_MS }).catch(() => {
    throw new CliFailure(`Temporal at ${address} cannot be reached`, EXIT.later);
  });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}
