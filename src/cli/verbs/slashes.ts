import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { tableText } from '../terminal/terminal-text';

interface Slash {
  slash_id: string;
  agent_id: string;
  status: string;
  credits: number;
  counter_by: string;
  top_up_by: string | null;
  remaining_seconds: number | null;
}

interface SlashOptions extends GlobalOptions {
  status?: string;
  credits?: string;
  explanation?: string;
  evidence?: string;
  call?: string[];
  reason?: string;
  idempotencyKey?: string;
}

const PATH = '/v1/operator/slashes';

/** `market slashes …`, for operators who are logged in (docs/bonds.md). */
export function slashVerbs(program: Command): void {
  const slashes = program
    .command('slashes')
    .description('manages slashes of bonds; for operators who are logged in');

  slashes
    .command('list')
    .description('lists undecided slashes, with their current deadline')
    .option('--status <status>', 'applied, contested, final or overturned')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<SlashOptions>();
        const query = options.status === undefined ? '' : `&status=${encodeURIComponent(options.status)}`;
        const page = await connect(options).call<{ items: Slash[] }>('GET', `${PATH}?limit=100${query}`);
        return { text: tableText([HEAD, ...page.items.map(toRow)]), json: page };
      }),
    );

  slashes
    .command('show')
    .argument('<slash>', 'slash id, slh_…')
    .description('prints one slash, with explanation, evidence and counter-argument')
    .action(
      verb(async (slashId: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<SlashOptions>());
        const slash = await api.call<Slash>('GET', `${PATH}/${encodeURIComponent(slashId)}`);
        return { text: JSON.stringify(slash, null, 2), json: slash };
      }),
    );
  addMoves(slashes);
}

function addMoves(slashes: Command): void {
  slashes
    .command('apply')
    .argument('<agent>', 'agent id')
    .requiredOption('--credits <credits>', 'credits to take; limited to what the bond holds')
    .requiredOption('--explanation <text>', 'explanation for the developer')
    .requiredOption('--evidence <file>', 'JSON file that shows the failure')
    .requiredOption('--call <invocation...>', 'calls whose buyers were affected')
    .option('--idempotency-key <key>', 'identifies the order, so that repeating it takes nothing more')
    .description("takes credits from the bond of the agent's developer")
    .action(
      verb(async (agentId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<SlashOptions>();
        const order = {
          agent_id: agentId,
          credits: Number(options.credits),
          explanation: options.explanation,
          evidence: readEvidence(options.evidence ?? ''),
          invocation_ids: options.call,
        };
        const key = options.idempotencyKey;
        const headers = key === undefined ? {} : { 'Idempotency-Key': key };
        const slash = await connect(options).call<Slash>('POST', PATH, order, headers);
        return { text: tableText([HEAD, toRow(slash)]), json: slash };
      }),
    );

  slashes
    .command('resolve')
    .argument('<slash>', 'slash id, slh_…')
    .argument('<decision>', 'upheld or overturned')
    .requiredOption('--reason <text>', 'reason for the decision; the developer and the audit log get it')
    .description('upholds or overturns a slash')
    .addHelpText(
      'after',
      '\nExample:\n  market slashes resolve slh_… overturned --reason "The rows are public."',
    )
    .action(
      verb(async (slashId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<SlashOptions>();
        const path = `${PATH}/${encodeURIComponent(slashId)}/resolve`;
        const slash = await connect(options).call<Slash>('POST', path, { decision, reason: options.reason });
        return { text: tableText([HEAD, toRow(slash)]), json: slash };
      }),
    );
}

const HEAD = ['slash', 'agent', 'status', 'credits', 'deadline', 'seconds left'];

function toRow(slash: Slash): string[] {
  const deadline = slash.remaining_seconds === null ? '-' : (slash.top_up_by ?? slash.counter_by);
  const left = slash.remaining_seconds === null ? '-' : String(slash.remaining_seconds);
  return [slash.slash_id, slash.agent_id, slash.status, String(slash.credits), deadline, left];
}

function readEvidence(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw usageFailure(
      `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
