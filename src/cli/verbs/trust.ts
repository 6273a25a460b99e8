import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { reportText, type TrustReport } from '../terminal/trust-text';

interface TrustOptions extends GlobalOptions {
  history?: boolean;
}

/** `market trust`. */
export function trustVerbs(program: Command): void {
  program
    .command('trust')
    .argument('<agent>', 'agent id or slug')
    .description('prints the trust report of an agent')
    .option('--history', 'list all reports instead, newest first')
    .addHelpText(
      'after',
      '\nExamples:\n  market trust unit-converter\n  market trust agt_unit_converter_v1 --json',
    )
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const options = command.optsWithGlobals<TrustOptions>();
        const api = connect(options);
        const path = `/v1/agents/${await findAgent(api, agent)}`;
        if (options.history) {
          const page = await api.call<{ items: TrustReport[] }>('GET', `${path}/trust-reports?limit=100`);
          return { text: page.items.map(historyLine).join('\n') || 'No report yet.', json: page };
        }
        const report = await api.call<TrustReport>('GET', `${path}/trust-report`);
        return { text: reportText(report), json: report };
      }),
    );
}

function historyLine({ verified_at, score, badge, rubric_version, version }: TrustReport): string {
  const points = String(score).padStart(3);
  return `${verified_at}  ${points}  ${(badge ?? '-').padEnd(8)}  rubric ${rubric_version}, ${version}`;
}
