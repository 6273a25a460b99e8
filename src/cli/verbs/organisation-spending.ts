import type { Command } from 'commander';
import { creditsText } from '../../domain/ledger/money';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions, organisationPath } from '../connect';
import { usageFailure } from '../failure';
import { addShow } from '../row-verbs';
import { SHOWN_RULES } from '../rows/organisation-rows';
import { fieldsText } from '../terminal/pages';
import { wholeNumber } from './api-keys';
import { idsOf, numberOf } from './key-limits';
import { MEMBER, withMember } from './organisation-members';

type Spending = Schema<'MemberSpending'>;

/** The verbs of `market orgs` about what members may spend, and on which agents. */
export function addSpendingVerbs(orgs: Command): void {
  addBudget(orgs);
  addSetBudget(orgs);
  addClearBudget(orgs);
  addShow(orgs, 'rules', SHOWN_RULES);
  addSetRules(orgs);
}

function addBudget(orgs: Command): void {
  orgs
    .command('budget')
    .argument('[member]', 'id of a member, usr_…, or the email address; without: yourself')
    .description('prints what a member may spend for the organisation, and what is left')
    .addHelpText('after', '\nExamples:\n  market orgs budget\n  market orgs budget grace@example.org')
    .action(
      verb(async (member: string | undefined, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const own = async () =>
          (await connectPerson(options).call<Schema<'Profile'>>('GET', '/v1/auth/me')).user_id;
        return withMember(command, member ?? (await own()), async (api, path, id) => {
          const spending = await api.call<Spending>('GET', `${path}/members/${id}/budget`);
          return { text: budgetText(spending), json: spending };
        });
      }),
    );
}

interface SetOptions extends GlobalOptions {
  window: string;
}

function addSetBudget(orgs: Command): void {
  orgs
    .command('set-budget')
    .argument(...MEMBER)
    .argument('<credits>', 'most credits in each window')
    .option('--window <window>', 'day, week, month or lifetime', 'month')
    .description('sets what a member may spend; for owners, admins and finance')
    .addHelpText(
      'after',
      `
It counts the member's sessions, and all keys and grants that the member made.

Example:
  market orgs set-budget grace@example.org 500 --window month`,
    )
    .action(
      verb((member: string, credits: string, _options, command: Command) => {
        const { window } = command.optsWithGlobals<SetOptions>();
        const body = { credits: wholeNumber('<credits>', credits), window };
        return withMember(command, member, async (api, path, id) => {
          const spending = await api.call<Spending>('PUT', `${path}/members/${id}/budget`, body);
          return { text: budgetText(spending), json: spending };
        });
      }),
    );
}

function addClearBudget(orgs: Command): void {
  orgs
    .command('clear-budget')
    .argument(...MEMBER)
    .description('removes the budget of a member; for owners, admins and finance')
    .addHelpText('after', '\nExample:\n  market orgs clear-budget grace@example.org')
    .action(
      verb((member: string, _options, command: Command) =>
        withMember(command, member, async (api, path, id) => {
          await api.call('DELETE', `${path}/members/${id}/budget`);
          return { text: `${member} has no budget now.`, json: { user_id: id, budget: null } };
        }),
      ),
    );
}

interface RuleOptions extends GlobalOptions {
  minTrust?: string;
  agents?: string[];
  developers?: string[];
}

function addSetRules(orgs: Command): void {
  orgs
    .command('set-rules')
    .option('--min-trust <score>', 'lowest trust score of an agent, or none')
    .option('--agents <ids...>', 'agents that may be called, or none; with --developers the only ones')
    .option('--developers <ids...>', 'developers whose agents may be called, dev_…, or none')
    .description('changes which agents the organisation pays; for owners, admins and finance')
    .addHelpText(
      'after',
      `
Rules that you leave out stay. Keys can only narrow them.

Examples:
  market orgs set-rules --min-trust 75
  market orgs set-rules --agents agt_pdf_parser_v1 --developers dev_acme
  market orgs set-rules --agents none --developers none`,
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<RuleOptions>();
        const { minTrust, agents, developers } = options;
        const body = {
          ...(minTrust !== undefined && { min_trust_score: numberOf('--min-trust', minTrust) }),
          ...(agents !== undefined && { agents: idsOf(agents) }),
          ...(developers !== undefined && { developers: idsOf(developers) }),
        };
        if (Object.keys(body).length === 0) throw usageFailure('pass --min-trust, --agents or --developers');
        const path = `${organisationPath(options)}/rules`;
        const rules = await connectPerson(options).call<Schema<'OrganisationRules'>>('PATCH', path, body);
        return { text: fieldsText(rules) || 'Every agent is permitted.', json: rules };
      }),
    );
}

function budgetText({ budget }: Spending): string {
  if (budget === null) return 'No budget: the member may spend what the organisation has.';
  const { window, window_ends_at: end, used_credits: used, left_credits: left } = budget;
  const size = `${creditsText(budget.credits)} ${end === null ? 'in total' : `a ${window}`}`;
  const until = end === null ? '' : `, until ${end}`;
  return `${creditsText(left)} left of ${size}${until}; ${creditsText(used)} used.`;
}
