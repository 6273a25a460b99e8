import type { Command } from 'commander';
import { createCipher } from '../../kit/crypto/cipher';
import { rotateRequestKey } from '../../services/evidence/request-keys';
import { createSigningKeys } from '../../services/evidence/signing-keys';
import { verb } from '../command-line';
import { withDatabase } from '../database';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { commandOf, REASON } from '../operator-log';

/** `market evidence …`. */
export function evidenceVerbs(program: Command): void {
  const evidence = program
    .command('evidence')
    .description('Manages the keys that sign receipts of calls, and requests to agents');

  evidence
    .command('rotate')
    .description('creates a new signing key for evidence; the previous one stays in /.well-known/jwks.json')
    .option('--requests', 'replaces the key that signs requests to agents instead')
    .option(...REASON)
    .addHelpText('after', '\nExample:\n  market evidence rotate --reason "Yearly."')
    .action(
      verb(async (_options: unknown, command: Command) => {
        const cipher = createCipher(masterKeys(), minimumKeyVersion());
        const { requests } = command.opts<{ requests?: boolean }>();
        const { retired, active } = await withDatabase('evidence rotate', (pool) =>
          requests
            ? rotateRequestKey({ pool, cipher }, commandOf(command))
            : createSigningKeys({ pool, cipher }).rotate(commandOf(command)),
        );
        return {
          text: `${active} is the signing key now${retired ? `; ${retired} is retired` : ''}.`,
          json: { active, retired: retired ?? null },
        };
      }),
    );
}
