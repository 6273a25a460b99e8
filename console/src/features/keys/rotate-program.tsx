import { send } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { isolated } from '../../ui/isolated';
import type { CreatedProgram } from './new-program';

interface RotateProgramProps {
  grant: ItemOf<'/v1/oauth/grants'>;
  onRotated: (program: CreatedProgram) => void;
}

/** Gives a program another secret. */
export function RotateProgram({ grant: { grant_id: id, client_name: name }, onRotated }: RotateProgramProps) {
  return (
    <Ask
      action="Rotate"
      question={`The program "${isolated(name)}" gets a new secret, and a year more. The old secret works for another hour.`}
      done="The program has a new secret."
      run={async () =>
        onRotated(
          await send('post', '/v1/oauth/grants/{grant_id}/rotate', {
            path: { grant_id: id },
            body: { grace_seconds: 3600 },
          }),
        )
      }
    />
  );
}
