import type { Command } from 'commander';
import { createCipher } from '../../kit/crypto/cipher';
import { createSigningKeys } from '../../services/evidence/signing-keys';
import { verb } from '../command-line';
import { withDatabase } from '../database';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { commandOf, REASON } from '../operator-log';

/** `market evidence …`. */
export function evidenceVerbs(program: Command): void {
  const evidence = program
    .command('evidence')
    .description('Manages the keys that sign the receipts of calls');

  evidence
    .command('rotate')
    .description('creates a new signing key for evidence; the previous one stays in /.well-known/jwks.json')
    .option(...REASON)
    .addHelpText('after', '\nExample:\n  market evidence rotate --reason "Yearly."')
    .action(
      verb(async (_options: unknown, command: Command) => {
        const cipher = createCipher(masterKeys(), minimumKeyVersion());
        const { retired, active } = await withDatabase('evidence rotate', (pool) =>
          createSigningKeys({ pool, cipher }).rotate(commandOf(command)),
        );
        return {
          text: `${active} is the signing key now${retired ? `; ${retired} is retired` : ''}.`,
          json: { active, retired: retired ?? null },
        };
      }),
    );
}
