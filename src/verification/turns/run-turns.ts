/**
 * The turn of a run among the developers whose agents a process probes. Both stages at the endpoint run at the same
 * time and share one turn, so a run takes no more of its developer's places than one stage would, and neither stage
 * waits for the other's place.
 */
import type { TenantTurns } from '../../kit/concurrency/tenant-turns';
import { type CallOrder, createCallOrder, type Place } from './call-order';

/** Time of the last call of a run, of `performance.now()`. */
export interface LastCall {
  sentAt: number;
}

interface RunTurn {
  order: CallOrder;
  last: LastCall;
  /** Stages that have not ended. */
  stages: number;
  begun: Promise<void>;
  end(): void;
}

export interface RunTurns {
  /** Runs a stage in the turn of its run: that of the other stage, or a new one. Rejects as `TenantTurns.run` does. */
  run<T>(runId: string, developer: string, stage: (place: Place, last: LastCall) => Promise<T>): Promise<T>;
}

export function createRunTurns(turns: Pick<TenantTurns, 'run'>): RunTurns {
  const open = new Map<string, RunTurn>();

  function begin(developer: string): RunTurn {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const begun = new Promise<void>((resolve, reject) => {
      const work = () => {
        resolve();
        return ended;
      };
      turns.run(developer, work).catch(reject);
    });
    return { order: createCallOrder(), last: { sentAt: performance.now() }, stages: 0, begun, end };
  }

  return {
    async run(runId, developer, stage) {
      const turn = open.get(runId) ?? begin(developer);
      open.set(runId, turn);
      turn.stages += 1;
      const place = turn.order.join();
      try {
        await turn.begun;
        return await stage(place, turn.last);
      } finally {
        place.leave();
        turn.stages -= 1;
        if (turn.stages === 0) {
          open.delete(runId);
          turn.end();
        }
      }
    },
  };
}
