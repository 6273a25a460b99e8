import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';

const PATH = '/v1/auth/me';

/** `market time-zone`: where the days, weeks and months of budgets begin (docs/keys-and-limits.md#credit-cap). */
export function timeZoneVerbs(program: Command): void {
  program
    .command('time-zone')
    .argument(
      '[zone]',
      'a zone of the IANA database, such as Europe/Berlin; without one, prints the present zone',
    )
    .description('prints or sets the time zone in which the days, weeks and months of your budgets begin')
    .addHelpText('after', '\nExamples:\n  market time-zone\n  market time-zone Europe/Berlin')
    .action(
      verb(async (zone: string | undefined, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const profile = await (zone === undefined
          ? api.call<Schema<'Profile'>>('GET', PATH)
          : api.call<Schema<'Profile'>>('PATCH', PATH, { time_zone: zone }));
        return { text: profile.time_zone, json: { time_zone: profile.time_zone } };
      }),
    );
}
