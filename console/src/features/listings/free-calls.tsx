import { useQuery } from '@tanstack/react-query';
import { everything } from '../../client/queries';
import { sessionQuery } from '../../client/session';
import { freeText, type Free } from './free-text';
import type { Listing } from './price';

/** Returns what an agent has of free calls for this account; undefined for an agent without. */
export function useFreeCalls(): (listing: Pick<Listing, 'agent_id' | 'pricing'>) => Free | undefined {
  const isAccount = Boolean(useQuery(sessionQuery).data);
  const used = useQuery({
    ...everything('/v1/billing/free-calls', { query: { limit: 100 } }),
    enabled: isAccount,
  });
  return ({ agent_id: id, pricing: { free_tier_calls: perMonth = 0 } }) => {
    if (perMonth === 0) return undefined;
    if (!used.data) return { perMonth, left: undefined };
    const own = used.data.items.find((one) => one.agent_id === id);
    return { perMonth, left: own?.left ?? perMonth };
  };
}

/** How many calls are free; green as long as one is left. */
export function FreeCalls({ free }: { free: Free }) {
  return <span className={free.left === 0 ? '' : 'free'}>{freeText(free)}</span>;
}
