import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Credits } from '../../ui/money';
import { Figure } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Waiting } from '../../ui/states';
import { Time } from '../../ui/time';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The next Monday, 00:00 UTC: when the next payouts are made. */
export function nextMonday(now = Date.now()): string {
  const weeks = Math.floor((now - FIRST_MONDAY_MS) / WEEK_MS) + 1;
  return new Date(weeks * WEEK_MS + FIRST_MONDAY_MS).toISOString();
}

/** What is earned, what of it the next payout contains, and when that is. */
export function NextPayout() {
  const balance = useQuery(get('/v1/billing/developer/balance'));
  return (
    <QueryView query={balance} waiting={<Waiting lines={1} height={96} />}>
      {(data) => (
        <Group align="stretch">
          <Figure name="Next payout" note={<Time at={nextMonday()} />}>
            <Time at={nextMonday()} ago />
          </Figure>
          <Figure name="In the next payout" note="what can no longer be disputed">
            <Credits value={data.matured_credits} />
          </Figure>
          <Figure
            name="Not paid out yet"
            note={
              data.reserve
                ? `until your first payout, earnings from new buyers mature after ${Math.ceil(data.reserve.matures_after_seconds / 86_400)} days`
                : 'what matures until then is added'
            }
          >
            <Credits value={data.pending_payout_credits} />
          </Figure>
          <Figure name="Earned in all" note="less fees and refunds">
            <Credits value={data.lifetime_earned_credits} />
          </Figure>
        </Group>
      )}
    </QueryView>
  );
}
