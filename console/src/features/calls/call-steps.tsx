import { IconCoin, IconGavel } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Answer } from '../../client/http';
import type { ItemOf } from '../../client/queries';
import { formatCode } from '../../ui/format';
import { Credits } from '../../ui/money';
import { Time } from '../../ui/time';

export type CallDetail = Answer<'/v1/invocations/{invocation_id}', 'get'>;
export type LedgerLine = ItemOf<'/v1/billing/ledger'>;

export interface Step {
  title: string;
  icon: ReactNode;
  at?: string | null;
  note?: ReactNode;
}

const LINE_TITLES: Record<string, string> = {
  invocation_hold: 'Held',
  invocation_charge: 'Charged',
  invocation_release: 'Released',
  refund: 'Refunded',
  dispute_refund: 'Refunded after a dispute',
  slash_refund: 'Refunded from a bond',
};

/** Movements of money that come after the call has been settled. */
export const AFTER_THE_END: ReadonlySet<string> = new Set(['dispute_refund', 'slash_refund']);

/** A movement of money. */
export function lineStep({
  entry_type: type,
  credits,
  balance_after_credits: after,
  created_at: at,
  description,
}: LedgerLine): Step {
  return {
    title: LINE_TITLES[type] ?? description,
    icon: <IconCoin size={14} />,
    at,
    note: (
      <>
        <Credits value={credits} signed /> · <Credits value={after} /> available afterwards
      </>
    ),
  };
}

/** A dispute from its opening to its decision. */
export function disputeSteps(dispute: CallDetail['dispute']): Step[] {
  if (!dispute) return [];
  const icon = <IconGavel size={14} />;
  const state = formatCode(dispute.status).toLowerCase();
  const isDecided = dispute.resolved_at !== null;
  return [
    {
      title: isDecided || dispute.status === 'open' ? 'Disputed' : `Disputed, ${state}`,
      icon,
      at: dispute.opened_at,
      ...(isDecided || dispute.respond_by === null
        ? {}
        : {
            note: (
              <>
                The developer answers by <Time at={dispute.respond_by} />
              </>
            ),
          }),
    },
    ...(isDecided ? [{ title: `Dispute decided: ${state}`, icon, at: dispute.resolved_at }] : []),
  ];
}
