import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { tableText } from '../terminal/terminal-text';

type Day = Schema<'GetListingFiguresResponse'>['days'][number];

/** `market figures`. */
export function figureVerbs(program: Command): void {
  program
    .command('figures')
    .argument('<agent>', 'agent id or slug')
    .description('prints the calls, success rate and latency of a listed agent by day')
    .addHelpText(
      'after',
      '\nThe last 30 UTC days, today included. Only calls that have ended count.\n\n' +
        'Examples:\n  market figures unit-converter\n  market figures agt_unit_converter_v1 --json',
    )
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const path = `/v1/agents/${await findAgent(api, agent)}/figures`;
        const figures = await api.call<{ agent_id: string; days: Day[] }>('GET', path);
        return { text: describe(figures.days), json: figures };
      }),
    );
}

function describe(days: readonly Day[]): string {
  const used = days.filter(({ calls }) => calls > 0);
  const hasJobs = used.some(({ jobs }) => jobs.count > 0);
  const rows = used.map((day) => [
    day.date,
    String(day.calls),
    percent(day.success_rate),
    ms(day.p50_ms),
    ms(day.p95_ms),
    ...(hasJobs ? [String(day.jobs.count), ms(day.jobs.p50_ms), ms(day.jobs.p95_ms)] : []),
  ]);
  if (rows.length === 0) return `No call in the last ${days.length} days.`;
  const head = [
    ...['day', 'calls', 'succeeded', 'half within', '95% within'],
    ...(hasJobs ? ['jobs', 'half within', '95% within'] : []),
  ];
  const isFew = used.some((day) => day.success_rate === null);
  const few = isFew ? '\nRates and durations are shown from ten unrelated buyers in 30 days on.' : '';
  return `${tableText([head, ...rows])}\nDays without calls are left out.${few}`;
}

const percent = (rate: number | null) => (rate === null ? '-' : `${(rate * 100).toFixed(1)}%`);
const ms = (value: number | null) => (value === null ? '-' : `${value} ms`);
