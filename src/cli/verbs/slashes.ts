import { creditsText } from '../../domain/ledger/money';
import { readFileSync } from 'node:fs';
import type { Schema } from '../api-schema';
import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect, connectPerson } from '../connect';
import { usageFailure } from '../failure';
import type { PageOptions } from '../terminal/pages';
import { tableText } from '../terminal/terminal-text';
import { addList, addShow } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { SHOWS } from '../rows/shows';

type Slash = Schema<'Slash'>;

interface SlashOptions extends PageOptions {
  status?: string;
  credits?: string;
  explanation?: string;
  evidence?: string;
  call?: string[];
  refund?: string;
  reason?: string;
  idempotencyKey?: string;
}

const PATH = '/v1/operator/slashes';
const OWN_PATH = '/v1/billing/developer/slashes';

/** `market slashes …`: developers read and answer slashes of their bond, operators manage all (docs/bonds.md). */
export function slashVerbs(program: Command): void {
  const slashes = program
    .command('slashes')
    .description('shows and answers slashes of your bond; operators apply and decide slashes');

  addList(slashes, 'list', CASE_LISTS['slashes list']);

  addShow(slashes, 'show', SHOWS['slashes show']);
  addAnswer(slashes);
  addMoves(slashes);
}

function addAnswer(slashes: Command): void {
  slashes
    .command('answer')
    .argument('<slash>', 'slash id, slh_…')
    .requiredOption('--statement <text>', 'why the slash is wrong')
    .option('--evidence <file>', 'JSON file that supports the statement')
    .description('contests a slash of your bond; an operator then decides')
    .addHelpText(
      'after',
      `
You can answer once, before the deadline (counter_by). Without an answer, the slash becomes final then.

Example:
  market slashes answer slh_… --statement "The rows are of the public sample." --evidence sample.json`,
    )
    .action(
      verb(async (slashId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<SlashOptions & { statement: string }>();
        const { statement, evidence: file } = options;
        const evidence = file === undefined ? {} : { evidence: readEvidence(file) };
        const path = `${OWN_PATH}/${encodeURIComponent(slashId)}/counter-argument`;
        const slash = await connectPerson(options).call<Slash>('POST', path, { statement, ...evidence });
        return { text: `${slashId} is ${slash.status}. An operator decides.`, json: slash };
      }),
    );
}

function addMoves(slashes: Command): void {
  slashes
    .command('apply')
    .argument('<agent>', 'agent id')
    .requiredOption(
      '--credits <credits>',
      'credits to take; limited to the bond and to what is left of the charges of the calls',
    )
    .requiredOption('--explanation <text>', 'explanation for the developer')
    .requiredOption('--evidence <file>', 'JSON file that shows the failure')
    .requiredOption('--call <invocation...>', 'calls whose buyers were affected')
    .option(
      '--refund <who>',
      'affected: the buyers of the calls get the amount; none: the platform keeps it as a penalty (default: affected)',
    )
    .option('--idempotency-key <key>', 'identifies the order, so that repeating it takes nothing more')
    .description("takes credits from the bond of the agent's developer")
    .addHelpText(
      'after',
      '\nExample:\n  market slashes apply agt_csv_profiler_v1 --credits 100 --explanation "It answered with zeros." \\\n    --evidence evidence.json --call inv_…',
    )
    .action(
      verb(async (agentId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<SlashOptions>();
        const order = {
          agent_id: agentId,
          credits: Number(options.credits),
          ...(options.refund === undefined ? {} : { refund: options.refund }),
          explanation: options.explanation,
          evidence: readEvidence(options.evidence ?? ''),
          invocation_ids: options.call,
        };
        const key = options.idempotencyKey;
        const headers = key === undefined ? {} : { 'Idempotency-Key': key };
        const slash = await connect(options).call<Slash>('POST', PATH, order, headers);
        return { text: `${tableText([HEAD, toRow(slash)])}${limitText(slash)}`, json: slash };
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

/** Says that less was taken than was requested. */
function limitText({ credits, requested_credits: requested }: Slash): string {
  return credits < requested
    ? `\n${credits} of ${creditsText(requested)} left the bond: it holds no more, or the charges of the calls are smaller.`
    : '';
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
