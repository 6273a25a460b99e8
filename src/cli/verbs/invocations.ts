import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import type { MarketApi } from '../api-client';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';
import { recordResult } from '../terminal/pages';

type Call = Schema<'InvocationDetail'>;

/** The longest wait of one request. */
const WAIT_SECONDS = 60;

/** `market invocations …`: your calls, as a buyer. */
export function invocationVerbs(program: Command): void {
  const invocations = program
    .command('invocations')
    .alias('calls')
    .description('lists, shows, awaits and cancels your calls');
  addList(invocations, 'list', LISTS['invocations list']);
  addShow(invocations, 'show', SHOWS['invocations show']);
  addShow(invocations, 'receipt', SHOWS['invocations receipt']);
  addShow(invocations, 'bodies', SHOWS['invocations bodies']);
  invocations
    .command('erase')
    .argument('<call>', 'call id, inv_…')
    .description('erases the input and output of a call, also the answer for a repeated key')
    .addHelpText('after', '\nExample:\n  market invocations erase inv_…')
    .action(
      verb(async (call: string, _options, command: Command) => {
        const path = `/v1/invocations/${encodeURIComponent(call)}/bodies`;
        await connect(command.optsWithGlobals()).call('DELETE', path);
        return {
          text: `Erased the input and output of ${call}.`,
          json: { invocation_id: call, erased: true },
        };
      }),
    );
  addOne(invocations, 'cancel', 'cancels a call that runs; a canceled call costs nothing', (api, path) =>
    api.call<Call>('DELETE', path),
  );
  addOne(invocations, 'wait', 'waits until a call has ended, and prints it with its output', untilEnded);
}

function addOne(
  invocations: Command,
  name: string,
  description: string,
  run: (api: MarketApi, path: string) => Promise<Call>,
): void {
  invocations
    .command(name)
    .argument('<call>', 'id of a call, inv_…')
    .description(description)
    .addHelpText('after', `\nExample:\n  market invocations ${name} inv_…`)
    .action(
      verb(async (id: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await run(api, `/v1/invocations/${encodeURIComponent(id)}`));
      }),
    );
}

async function untilEnded(api: MarketApi, path: string): Promise<Call> {
  for (;;) {
    const call = await api.call<Call>('GET', `${path}?wait=${WAIT_SECONDS}`);
    if (call.status !== 'pending' && call.status !== 'running') return call;
  }
}
