import type { WithdrawalStatus } from '../domain/bonds/bond';
import type { SlashMoved, TopUpOutcome } from '../domain/bonds/slash';
import type { Bonds, NoticeEndRecord } from '../services/bonds/bonds';
import type {
  SlashCounterRecord,
  SlashEndRecord,
  SlashRulingRecord,
  Slashes,
} from '../services/bonds/slashes';

export type BondActivities = ReturnType<typeof createBondActivities>;

/**
 * Activities of the workflows for slashes and withdrawals. A thrown error is an internal fault; Temporal retries it.
 */
export function createBondActivities(
  bonds: Pick<Bonds, 'recordNoticeEnd'>,
  slashes: Pick<Slashes, 'recordCounter' | 'recordDeveloperSilent' | 'recordRuling' | 'recordTopUpEnd'>,
) {
  return {
    recordNoticeEnd: (end: NoticeEndRecord): Promise<WithdrawalStatus> => bonds.recordNoticeEnd(end),
    recordCounter: (counter: SlashCounterRecord): Promise<SlashMoved> => slashes.recordCounter(counter),
    recordDeveloperSilent: (end: SlashEndRecord): Promise<SlashMoved> => slashes.recordDeveloperSilent(end),
    recordSlashRuling: (ruling: SlashRulingRecord): Promise<SlashMoved> => slashes.recordRuling(ruling),
    recordTopUpEnd: (end: SlashEndRecord): Promise<TopUpOutcome> => slashes.recordTopUpEnd(end),
  };
}
