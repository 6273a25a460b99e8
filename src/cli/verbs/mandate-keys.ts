import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { groupOf, verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { readJsonArgument } from '../terminal/json-argument';
import { recordResult } from '../terminal/pages';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

type MandateKey = Schema<'MandateKey'>;

const PATH = '/v1/mandate-keys';

/** `market mandates keys`, `add-key` and `remove-key`: the public keys that verify your mandates. */
export function mandateKeyVerbs(program: Command): void {
  const mandates = groupOf(program, 'mandates');
  addList(mandates, 'keys', LISTS['mandates keys']);
  mandates
    .command('add-key')
    .argument('<jwk>', 'the public key, ES256 on P-256: a JWK, @file, or - for standard input')
    .option('--name <name>', 'label of the key')
    .description('registers a public key that signs mandates for your account')
    .addHelpText(
      'after',
      '\nA person who has the private key can spend your wallet by mandates.\n\nExample:\n  market mandates add-key @public.jwk --name procurement',
    )
    .action(
      verb(async (jwk: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { name?: string }>();
        const body = {
          jwk: await readJsonArgument(jwk, 'the key'),
          ...(options.name && { name: options.name }),
        };
        return recordResult(await connectPerson(options).call<MandateKey>('POST', PATH, body));
      }),
    );
  mandates
    .command('remove-key')
    .argument('<key>', 'thumbprint of the key (kid)')
    .description('removes a key, and with it every mandate that it signed')
    .addHelpText(
      'after',
      '\nCalls in progress are not affected.\n\nExample:\n  market mandates remove-key MdEDhfOaBZXAvIz1SfewxVvG41A1D4VgNMkvWOUrLEs',
    )
    .action(
      verb(async (kid: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        await api.call('DELETE', `${PATH}/${encodeURIComponent(kid)}`);
        return { text: `Removed ${kid}.`, json: { kid, removed: true } };
      }),
    );
}
