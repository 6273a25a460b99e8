/**
 * One deletion of an account (ADR 0388): a window, a confirmation by mail, and the erasure in parts, each of which may
 * be repeated. The row decides: the API writes a withdrawal or a confirmation there, and the signal `moved` only
 * shortens the wait. Its window ends when this workflow records its end. Waits that may last begin again as a new run,
 * so that the history stays short.
 */
import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { LeavingActivities } from '../activities/leaving';
import { type DeletionInput, type DeletionState, ERASURE_PARTS } from '../domain/leaving/deletion';
import { show } from './details';

export const movedSignal = defineSignal('moved');

const records = proxyActivities<LeavingActivities>({
  startToCloseTimeout: '30s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '30s' },
});
const { erasePart } = proxyActivities<LeavingActivities>({
  startToCloseTimeout: '6h',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
});

/** A lost signal delays a confirmation by as much. */
const LOOK_AGAIN_MS = 24 * 3_600_000;
const BLOCKED_LOOK_MS = 3_600_000;
const REST_LOOK_MS = 2_000;
const LONGEST_REST_LOOK_MS = 15 * 60_000;

const api = ['GET /v1/operator/deletions'];

export async function accountDeletion(input: DeletionInput): Promise<DeletionState> {
  const { deletionId, confirmFromMs, confirmForMs } = input;
  let moved = false;
  setHandler(movedSignal, () => void (moved = true));

  /** Waits until the row has left `state` or a time has come. Returns the state of the row. */
  async function whileIn(state: DeletionState, untilMs: number, lookMs: number): Promise<DeletionState> {
    for (;;) {
      const leftMs = untilMs - Date.now();
      if (leftMs > 0) await condition(() => moved, Math.min(leftMs, lookMs));
      moved = false;
      const now = await records.readDeletionState(deletionId);
      if (now !== state || Date.now() >= untilMs) return now;
    }
  }

  if (input.isConfirmed) return afterConfirmation();
  show({
    state: 'Waits for the end of the window',
    untilMs: confirmFromMs,
    then: 'a mail asks to confirm',
    api,
  });
  let state = await whileIn('requested', confirmFromMs, Infinity);
  if (state === 'requested') state = await records.openDeletionConfirmation(deletionId);
  if (state === 'confirmable') {
    const untilMs = Math.max(confirmFromMs, Date.now()) + confirmForMs;
    show({ state: 'Waits for the confirmation', untilMs, then: 'it lapses, and the account stays', api });
    state = await whileIn('confirmable', untilMs, LOOK_AGAIN_MS);
    if (state === 'confirmable') state = await records.lapseDeletion(deletionId);
  }
  if (state !== 'confirmed' && state !== 'erasing') return ended(state);
  return afterConfirmation();

  async function afterConfirmation(): Promise<DeletionState> {
    for (;;) {
      const begin = await records.beginErasure(deletionId);
      if (begin === 'ended') return ended(await records.readDeletionState(deletionId));
      if (begin === 'erasing') break;
      show({ state: 'Waits until nothing blocks it', then: 'it is tried again each hour', api });
      await goOnInShortHistory(input);
      await condition(() => moved, BLOCKED_LOOK_MS);
      moved = false;
    }
    await erase(input);
    return ended('erased');
  }
}

async function erase(input: DeletionInput): Promise<void> {
  const { deletionId } = input;
  show({ state: 'Waits until calls have ended and mails are sent', then: 'the data is erased', api });
  for (let pauseMs = REST_LOOK_MS; !(await records.isAccountAtRest(deletionId));) {
    await goOnInShortHistory(input);
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_REST_LOOK_MS);
  }
  await records.retainRecords(deletionId);
  for (const part of ERASURE_PARTS) {
    show({ state: `Erases: ${part}`, credits: ['none move'], api });
    await erasePart.executeWithOptions({ summary: part }, [deletionId, part]);
  }
  await records.finishDeletion(deletionId);
}

/** Goes on in a new run when the history of this one is long. */
async function goOnInShortHistory(input: DeletionInput): Promise<void> {
  if (workflowInfo().continueAsNewSuggested)
    await continueAsNew<typeof accountDeletion>({ ...input, isConfirmed: true });
}

function ended(state: DeletionState): DeletionState {
  show({ state: `Ended: ${state}`, credits: ['none move'], api });
  return state;
}
