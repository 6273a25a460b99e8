import { unitsToCredits } from '../../domain/ledger/money';
import type { Spend } from '../../services/billing/spend';

const spentView = ({ calls, units }: { calls: number; units: number }) => ({
  calls,
  credits: unitsToCredits(units),
});

/** What an account paid for calls. */
export function spendView({ firstDay, endDay, total, days, agents, keys }: Spend) {
  return {
    first_day: firstDay,
    end_day: endDay,
    ...spentView(total),
    days: days.map((day) => ({ date: day.date, ...spentView(day) })),
    agents: agents.map((one) => ({ agent_id: one.of, display_name: one.name, ...spentView(one) })),
    keys: keys.map((one) => ({ key_id: one.of || null, name: one.name, ...spentView(one) })),
  };
}
