import { Code, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Figure } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Waiting } from '../../ui/states';
import { Day, Time } from '../../ui/time';

/** How far the ledger is sealed and proven. */
export function LedgerState() {
  const query = useQuery({ ...get('/v1/operator/platform'), refetchInterval: 15_000 });
  return (
    <QueryView query={query} waiting={<Waiting lines={1} height={96} />}>
      {({ ledger }) => (
        <Group align="stretch">
          <Figure name="Sealed through" note="each day that has ended, in UTC">
            <Through date={ledger.sealed_through} />
          </Figure>
          <Figure
            name="Proven through"
            note={
              ledger.proven_at === null ? (
                <>
                  run <Code>market ledger check</Code>
                </>
              ) : (
                <>
                  checked <Time at={ledger.proven_at} ago />
                </>
              )
            }
          >
            <Through date={ledger.proven_through} />
          </Figure>
        </Group>
      )}
    </QueryView>
  );
}

/** The last day up to which something holds. */
export function Through({ date }: { date: string | null }) {
  return date === null ? <>No day yet</> : <Day date={date} />;
}
