import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';

type Finding = Schema<'OwnFinding'>;

type Contest = Schema<'GetContestResponse'>;

type Waiver = Schema<'Waiver'>;

type Options = GlobalOptions & {
  statement?: string;
  reason?: string;
  days?: string;
};

const OPERATOR = '/v1/operator';
const below = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

/** `market findings …`: what verification found, its contests and its waivers. `verification` is its name of before. */
export function contestVerbs(program: Command): void {
  const findings = program
    .command('findings')
    .alias('verification')
    .description('shows and contests findings; decides contests and waives findings, for operators');
  addList(findings, 'list', CASE_LISTS['findings list']).alias('findings');
  addAcknowledge(findings);
  addContest(findings);
  addList(findings, 'contests', CASE_LISTS['findings contests']);
  addResolve(findings);
  addWaive(findings);
  addWaivers(findings);
}

function addAcknowledge(findings: Command): void {
  findings
    .command('acknowledge')
    .argument('<agent>', 'agent id or slug')
    .argument('<finding>', 'finding id, fnd_…')
    .description(
      'acknowledges a finding of one of your agents; its points stay lost until a run finds it gone',
    )
    .addHelpText('after', '\nExample:\n  market findings acknowledge csv-profiler fnd_…')
    .action(
      verb(async (agent: string, findingId: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<Options>());
        const findings = `/v1/developer/agents/${await findAgent(api, agent)}/findings`;
        return recordResult(await api.call<Finding>('POST', `${below(findings, findingId)}/acknowledge`));
      }),
    );
}

function addContest(findings: Command): void {
  findings
    .command('contest')
    .argument('<agent>', 'agent id or slug')
    .argument('<finding>', 'finding id, fnd_…')
    .requiredOption('--statement <text>', 'why the finding is wrong or does no harm; operators read it')
    .description('contests a finding of one of your agents; an operator decides')
    .addHelpText(
      'after',
      '\nExample:\n  market findings contest csv-profiler fnd_… --statement "The text is a regular expression."',
    )
    .action(
      verb(async (agent: string, findingId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const api = connect(options);
        const findings = `/v1/developer/agents/${await findAgent(api, agent)}/findings`;
        const body = { statement: options.statement };
        return recordResult(await api.call<Contest>('POST', `${below(findings, findingId)}/contest`, body));
      }),
    );
}

function addResolve(findings: Command): void {
  findings
    .command('resolve')
    .argument('<contest>', 'contest id, fct_…')
    .argument('<decision>', 'accepted or refused')
    .requiredOption('--reason <text>', 'for the owner; with accepted, the trust report shows it')
    .option('--days <days>', 'how long the waiver holds, 1 to 365; default 180')
    .description('decides a contest; for operators')
    .addHelpText(
      'after',
      '\nExample:\n  market findings resolve fct_… refused --reason "The host receives the input."',
    )
    .action(
      verb(async (contestId: string, decision: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const path = `${below(`${OPERATOR}/contests`, contestId)}/resolve`;
        const body = { decision, reason: options.reason, ...daysOf(options) };
        return recordResult(await connect(options).call<Contest>('POST', path, body));
      }),
    );
}

function addWaive(findings: Command): void {
  findings
    .command('waive')
    .argument('<agent>', 'agent id')
    .argument('<finding>', 'finding id, fnd_…')
    .requiredOption('--reason <text>', 'shown in the trust report, and kept in the audit log')
    .option('--days <days>', 'how long the waiver holds, 1 to 365; default 180')
    .description('waives a finding: it costs nothing until the waiver expires; for operators')
    .addHelpText(
      'after',
      '\nExample:\n  market findings waive agt_csv_profiler_v1 fnd_… --reason "A test key of the vendor." --days 90',
    )
    .action(
      verb(async (agentId: string, findingId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const findings = `${below(`${OPERATOR}/agents`, agentId)}/findings`;
        const body = { reason: options.reason, ...daysOf(options) };
        return recordResult(
          await connect(options).call<Waiver>('POST', `${below(findings, findingId)}/waive`, body),
        );
      }),
    );
}

function addWaivers(findings: Command): void {
  addList(findings, 'waivers', CASE_LISTS['findings waivers']);

  findings
    .command('revoke')
    .argument('<waiver>', 'waiver id, fwv_…')
    .requiredOption('--reason <text>', 'for the owner and the audit log')
    .description('ends a waiver before it expires; for operators')
    .addHelpText('after', '\nExample:\n  market findings revoke fwv_… --reason "The key is valid."')
    .action(
      verb(async (waiverId: string, _options, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        const path = `${below(`${OPERATOR}/waivers`, waiverId)}/revoke`;
        return recordResult(await connect(options).call<Waiver>('POST', path, { reason: options.reason }));
      }),
    );
}

function daysOf({ days }: Options): { waiver_days?: number } {
  return days === undefined ? {} : { waiver_days: Number(days) };
}
