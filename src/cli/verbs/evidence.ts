import type { Command } from 'commander';
import { createCipher } from '../../kit/cipher';
import { createSigningKeys } from '../../services/signing-keys';
import { verb, withDatabase } from '../command-line';
import { masterKeys, minimumKeyVersion } from '../master-keys';

/** `market evidence …`. */
export function evidenceVerbs(program: Command): void {
  const evidence = program.command('evidence').description('The signed receipts of calls');

  evidence
    .command('rotate')
    .description('makes a new key that signs evidence; the one before stays in /.well-known/jwks.json')
    .addHelpText('after', '\nExample:\n  market evidence rotate')
    .action(
      verb(async () => {
        const cipher = createCipher(masterKeys(), minimumKeyVersion());
        const { retired, active } = await withDatabase('evidence rotate', (pool) =>
          createSigningKeys({ pool, cipher }).rotate(),
        );
        return {
          text: `${active} signs now${retired ? `; ${retired} is retired` : ''}.`,
          json: { active, retired: retired ?? null },
        };
      }),
    );
}
