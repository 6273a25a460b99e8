import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb, type VerbResult } from '../command-line';
import { connectPerson } from '../connect';
import { wholeNumber } from './api-keys';

const PATH = '/v1/auth/keeping';

function described({ days }: Schema<'Keeping'>): VerbResult {
  const text =
    days === 0
      ? 'Inputs and outputs of your calls are not kept.'
      : `Inputs and outputs of your calls are kept for ${days} days.`;
  return { text, json: { days } };
}

/**
 * `market keeping …`: how long inputs and outputs of your calls are kept (docs/accounts.md#kept-inputs-and-outputs).
 */
export function keepingVerbs(program: Command): void {
  const keeping = program
    .command('keeping')
    .description('shows, sets and erases what is kept of the inputs and outputs of your calls');

  keeping
    .command('show', { isDefault: true })
    .description('prints for how many days they are kept')
    .addHelpText('after', '\nExample:\n  market keeping')
    .action(
      verb(async (_options, command: Command) =>
        described(await connectPerson(command.optsWithGlobals()).call('GET', PATH)),
      ),
    );

  keeping
    .command('set')
    .argument('<days>', '0 to 90; 0: not at all')
    .description('sets for how many days those of your next calls are kept')
    .addHelpText('after', '\nExample:\n  market keeping set 30')
    .action(
      verb(async (days: string, _options, command: Command) => {
        const body = { days: wholeNumber('<days>', days) };
        return described(await connectPerson(command.optsWithGlobals()).call('PUT', PATH, body));
      }),
    );

  keeping
    .command('erase')
    .description('erases all that is kept; attachments of disputes stay')
    .addHelpText('after', '\nExample:\n  market keeping erase')
    .action(
      verb(async (_options, command: Command) => {
        await connectPerson(command.optsWithGlobals()).call('DELETE', `${PATH}/bodies`);
        return { text: 'Erased all inputs and outputs that were kept.', json: { erased: true } };
      }),
    );
}
