import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { listVerb, type PageOptions, recordResult, withPages } from '../terminal/pages';

type Invocation = Schema<'Invocation'>;

type Detail = Schema<'InvocationDetail'>;

interface ListOptions extends PageOptions {
  agent?: string;
  status?: string;
}

/** `market invocations …`: your calls, as a buyer. */
export function invocationVerbs(program: Command): void {
  const invocations = program.command('invocations').description('lists and shows your calls');
  withPages(invocations.command('list'))
    .description('lists your calls, newest first')
    .option('--agent <id>', 'only calls of this agent (agt_…)')
    .option('--status <status>', 'pending, running, succeeded or failed')
    .addHelpText('after', '\nExample:\n  market invocations list --status failed')
    .action(
      verb((_options, command: Command) => {
        const options = command.optsWithGlobals<ListOptions>();
        return listVerb<Invocation>(connect(options), '/v1/invocations', options, {
          head: ['call', 'agent', 'status', 'credits', 'accepted'],
          row: (call) => [
            call.invocation_id,
            call.agent_id,
            call.status,
            String(call.usage?.credits_charged ?? '-'),
            call.invoked_at,
          ],
          filter: { agent_id: options.agent, status: options.status },
        });
      }),
    );
  addShow(invocations, 'show', 'prints one of your calls', (call) => call);
  addShow(invocations, 'receipt', 'prints the signed receipt of a call', ({ evidence }) => evidence ?? {});
}

function addShow(
  invocations: Command,
  name: string,
  description: string,
  choose: (call: Detail) => object,
): void {
  invocations
    .command(name)
    .argument('<call>', 'call id, inv_…')
    .description(description)
    .addHelpText('after', `\nExample:\n  market invocations ${name} inv_… --json`)
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return recordResult(
          choose(await api.call<Detail>('GET', `/v1/invocations/${encodeURIComponent(id)}`)),
        );
      }),
    );
}
