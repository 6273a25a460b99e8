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

/** The moves of slashes and withdrawals, told to Temporal. What is thrown is a fault and is retried. */
export function createBondActivities(
  bonds: Pick<Bonds, 'recordNoticeEnd'>,
  slashes: Pick<Slashes, 'recordCounter' | 'recordSilence' | 'recordRuling' | 'recordTopUpEnd'>,
) {
  return {
    recordNoticeEnd: (end: NoticeEndRecord): Promise<WithdrawalStatus> => bonds.recordNoticeEnd(end),
    recordCounter: (counter: SlashCounterRecord): Promise<SlashMoved> => slashes.recordCounter(counter),
    recordSlashSilence: (end: SlashEndRecord): Promise<SlashMoved> => slashes.recordSilence(end),
    recordSlashRuling: (ruling: SlashRulingRecord): Promise<SlashMoved> => slashes.recordRuling(ruling),
    recordTopUpEnd: (end: SlashEndRecord): Promise<TopUpOutcome> => slashes.recordTopUpEnd(end),
  };
}
