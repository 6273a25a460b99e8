import type { SpendPart } from '../../domain/billing/spend-parts';
import { pairOf } from '../../domain/billing/tag';
import { unitsToCredits } from '../../domain/ledger/money';
import { writeCsv } from '../../kit/rails/csv';
import type { SpendGroup } from '../../stores/billing/spend-groups';

type Cell = readonly [title: string, value: (group: SpendGroup) => string];
const CELLS: Readonly<Record<SpendPart, readonly Cell[]>> = {
  day: [['date', ({ date }) => date ?? '']],
  agent: [
    ['agent_id', ({ agentId }) => agentId ?? ''],
    ['agent_name', ({ agentName }) => agentName ?? ''],
  ],
  key: [
    ['key_id', ({ keyId }) => keyId ?? ''],
    ['key_name', ({ keyName }) => keyName ?? ''],
  ],
  tag: [
    ['tag_name', ({ tag }) => pairOf(tag ?? '').name],
    ['tag_value', ({ tag }) => pairOf(tag ?? '').value],
  ],
  member: [
    ['member_id', ({ memberId }) => memberId ?? ''],
    ['member_name', ({ memberName }) => memberName ?? ''],
  ],
};

/** Spending as a table for spreadsheets, with the columns of the parts. */
export function spendCsv(parts: readonly SpendPart[], groups: readonly SpendGroup[]): string {
  const cells = parts.flatMap((part) => CELLS[part]);
  return writeCsv([
    [...cells.map(([title]) => title), 'calls', 'credits'],
    ...groups.map((group) => [
      ...cells.map(([, value]) => value(group)),
      group.calls,
      unitsToCredits(group.units),
    ]),
  ]);
}
