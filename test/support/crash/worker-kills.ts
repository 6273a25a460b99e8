/** A worker that is killed again and again while a Monday is paid. */
import type { FileMethod } from '../../../src/domain/payouts/rails';
import { holdStep } from './held-step';
import { eventually } from '../market';
import type { ProcessStack, ServiceProcess } from '../stack/process-stack';

export interface FileKill {
  method: FileMethod;
  /** In the middle of writing the file, or of paying what it names. */
  step: 'write' | 'settle';
  /** The fate of the killed worker's statement in Postgres: completed, or rolled back. */
  postgres: 'ends' | 'undoes';
}

export interface KillPlan {
  /** One kill each, when so many shares have been reserved. */
  shares: readonly number[];
  /** Then one in each of these; in the order of the run. */
  files: readonly FileKill[];
}

const REACHED_IN_MS = 300_000;

/** Prepares the places of the kills. The returned function kills the worker at each place and starts it again. */
export async function planKills(
  stack: ProcessStack,
  worker: ServiceProcess,
  plan: KillPlan,
  beforeKill: () => void = () => undefined,
): Promise<() => Promise<void>> {
  const steps: { postgres: FileKill['postgres']; held: Awaited<ReturnType<typeof holdStep>> }[] = [];
  for (const kill of plan.files) {
    steps.push({ postgres: kill.postgres, held: await holdStep(stack.owner, placeOf(kill)) });
  }
  const shares = async () => {
    const { rows } = await stack.owner.query<{ n: number }>('SELECT count(*)::int AS n FROM payouts');
    return rows[0]?.n ?? 0;
  };
  return async () => {
    for (const count of plan.shares) {
      await eventually(async () => (await shares()) >= count, REACHED_IN_MS);
      beforeKill();
      await worker.kill();
      await worker.start();
    }
    for (const { postgres, held } of steps) {
      await held.reached();
      beforeKill();
      await worker.kill();
      await (postgres === 'ends' ? held.letGo() : held.giveUp());
      await worker.start();
    }
  };
}

function placeOf({ method, step }: FileKill) {
  return step === 'write'
    ? ({ table: 'payout_files', on: 'INSERT', when: `NEW.method = '${method}'` } as const)
    : ({
        table: 'payouts',
        on: 'UPDATE',
        when: `OLD.status = 'processing' AND NEW.status = 'paid' AND NEW.method = '${method}'`,
      } as const);
}
