import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connect } from '../connect';
import { addList, addShow } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';
import { recordResult } from '../terminal/pages';
import { addInvocationAnswer } from './answer-invocation';
import { addInvocationWait } from './wait-for-invocation';

/** `market invocations …`: your calls, as a buyer. */
export function invocationVerbs(program: Command): void {
  const invocations = program
    .command('invocations')
    .alias('calls')
    .description('lists, shows, answers, awaits and cancels your calls');
  addList(invocations, 'list', LISTS['invocations list']);
  addList(invocations, 'pieces', LISTS['invocations pieces']);
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
  invocations
    .command('cancel')
    .argument('<call>', 'call id, inv_…')
    .description('cancels a call that runs; it costs nothing but milestones that its job has reached')
    .addHelpText('after', '\nExample:\n  market invocations cancel inv_…')
    .action(
      verb(async (call: string, _options, command: Command) => {
        const path = `/v1/invocations/${encodeURIComponent(call)}`;
        const api = connect(command.optsWithGlobals());
        return recordResult(await api.call<Schema<'InvocationDetail'>>('DELETE', path));
      }),
    );
  addInvocationAnswer(invocations);
  addInvocationWait(invocations);
}
