import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect } from '../connect';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';

/** `market invocations …`: your calls, as a buyer. */
export function invocationVerbs(program: Command): void {
  const invocations = program.command('invocations').description('lists and shows your calls');
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
}
