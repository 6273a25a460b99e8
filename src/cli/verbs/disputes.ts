import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, connectPerson, type GlobalOptions } from '../connect';
import { CliFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';
import { recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';

type Dispute = Schema<'Dispute'>;

interface OpenOptions extends GlobalOptions {
  reason: string;
  description: string;
  input?: string;
  output?: string;
}

const OWN = '/v1/billing/disputes';
const ALL = '/v1/operator/disputes';
const below = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

/** `market disputes …`, for buyers, developers and operators. */
export function disputeVerbs(program: Command): void {
  const disputes = program
    .command('disputes')
    .description('disputes calls, and answers disputes of your agents');
  addOpen(disputes);
  addList(disputes, 'list', CASE_LISTS['disputes list']);
  addShow(disputes);
  addRespond(disputes);
  addOffer(disputes);
  addAnswer(disputes);
  addResolve(disputes);
}

function addOpen(disputes: Command): void {
  disputes
    .command('open')
    .argument('<invocation>', 'id of a call of yours, inv_…')
    .requiredOption(
      '--reason <reason>',
      'output_incorrect, no_response, schema_violation, unauthorized or other',
    )
    .requiredOption('--description <text>', 'what went wrong; the developer and the operator read it')
    .option('--input <json>', 'attaches the input of the call, as JSON or @file')
    .option('--output <json>', 'attaches the output of the call, as JSON or @file')
    .description('disputes a call: a running call is refunded, a success of the last 72 hours becomes a case')
    .addHelpText(
      'after',
      '\nExample:\n  market disputes open inv_… --reason output_incorrect --description "Column three is text."',
    )
    .action(
      verb(async (invocationId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<OpenOptions>();
        const { reason, description } = options;
        const attachments = await attachmentsOf(options);
        const body = { invocation_id: invocationId, reason, description, ...attachments };
        return recordResult(await connectPerson(options).call<Dispute>('POST', OWN, body));
      }),
    );
}

/** The input and the output of the call are shown to the developer and to operators only when they are attached. */
async function attachmentsOf({ input, output }: OpenOptions) {
  const attachments = {
    ...(input !== undefined && { input: await readJsonArgument(input, 'the input') }),
    ...(output !== undefined && { output: await readJsonArgument(output, 'the output') }),
  };
  return Object.keys(attachments).length > 0 ? { attachments } : {};
}

function addShow(disputes: Command): void {
  disputes
    .command('show')
    .argument('<dispute>', 'dispute id, dsp_…')
    .option('--all', 'a dispute of any account; for operators')
    .description('prints one dispute, with the statements of both sides')
    .addHelpText('after', '\nExample:\n  market disputes show dsp_…')
    .action(
      verb(async (disputeId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { all?: boolean }>();
        const path = below(options.all ? ALL : OWN, disputeId);
        const found = connect(options).call<Dispute>('GET', path);
        return recordResult(await (options.all ? found : found.catch(withHint)));
      }),
    );
}

/** Adds to "not found" that operators need `--all` for a dispute in which they are neither buyer nor developer. */
function withHint(error: unknown): never {
  if (!(error instanceof CliFailure) || error.json['code'] !== 'not_found') throw error;
  throw new CliFailure(`${error.message} Operators add --all.`, error.exitCode, error.json);
}

function addRespond(disputes: Command): void {
  disputes
    .command('respond')
    .argument('<dispute>', 'dispute id, dsp_…')
    .argument('<decision>', 'accept or contest')
    .requiredOption('--statement <text>', 'your answer; the buyer and the operator read it')
    .option('--credits <credits>', 'contests, and offers to return this part of the charge')
    .description('answers a dispute of your agent; no answer by the deadline accepts it')
    .addHelpText(
      'after',
      '\nExample:\n  market disputes respond dsp_… contest --statement "It is as listed."',
    )
    .action(
      verb(async (disputeId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { statement: string; credits?: string }>();
        const body = { decision, statement: options.statement, ...partOf(options) };
        const path = `${below(OWN, disputeId)}/respond`;
        return recordResult(await connectPerson(options).call<Dispute>('POST', path, body));
      }),
    );
}

/** A part of the charge. The API refuses what is no number. */
const partOf = ({ credits }: { credits?: string }) =>
  credits === undefined ? {} : { refund_credits: Number(credits) };

function addOffer(disputes: Command): void {
  disputes
    .command('offer')
    .argument('<dispute>', 'id of a contested dispute of your agent, dsp_…')
    .argument('<credits>', 'the part of the charge that you would return')
    .option('--statement <text>', 'your words to it; the buyer and the operator read them')
    .description('offers the buyer a part of the charge; the buyer accepts or declines it')
    .addHelpText(
      'after',
      '\nExample:\n  market disputes offer dsp_… 2 --statement "One of five columns was wrong."',
    )
    .action(
      verb(async (disputeId: string, credits: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { statement?: string }>();
        const { statement } = options;
        const body = { ...partOf({ credits }), ...(statement !== undefined && { statement }) };
        const path = `${below(OWN, disputeId)}/offer`;
        return recordResult(await connectPerson(options).call<Dispute>('POST', path, body));
      }),
    );
}

function addAnswer(disputes: Command): void {
  disputes
    .command('answer')
    .argument('<dispute>', 'id of a dispute of yours, dsp_…')
    .argument('<decision>', 'accept or decline')
    .option('--offer <offer>', 'id of the offer, dof_…; the open one if left out')
    .description('answers what the developer of a dispute offers; an accepted offer ends the dispute')
    .addHelpText('after', '\nExample:\n  market disputes answer dsp_… accept')
    .action(
      verb(async (disputeId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { offer?: string }>();
        const api = connect(options);
        const path = below(OWN, disputeId);
        const offerId = options.offer ?? (await api.call<Dispute>('GET', path)).offer?.offer_id;
        if (offerId === undefined) throw new CliFailure('The developer has offered nothing in this dispute.');
        return recordResult(
          await api.call<Dispute>('POST', `${path}/offer/answer`, { offer_id: offerId, decision }),
        );
      }),
    );
}

function addResolve(disputes: Command): void {
  disputes
    .command('resolve')
    .argument('<dispute>', 'id of a contested dispute, dsp_…')
    .argument('<decision>', 'buyer or developer: the side that wins')
    .requiredOption('--reason <text>', 'reason for the decision; both sides and the audit log get it')
    .option('--credits <credits>', 'returns this part of the charge to the buyer, not all of it')
    .description('decides a contested dispute; for operators')
    .addHelpText('after', '\nExample:\n  market disputes resolve dsp_… buyer --reason "It is not as listed."')
    .action(
      verb(async (disputeId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { reason: string; credits?: string }>();
        const body = { decision, reason: options.reason, ...partOf(options) };
        const path = `${below(ALL, disputeId)}/resolve`;
        return recordResult(await connectPerson(options).call<Dispute>('POST', path, body));
      }),
    );
}
