import { Group, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { DateField } from '../../ui/date-field';
import { ExportButton } from '../../ui/export-button';
import { formatCode } from '../../ui/format';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { X402_CSV } from './list-files';
import { X402Details } from './x402-details';

type Payment = ItemOf<'/v1/operator/x402-payments'>;

const STATES = ['held', 'released', 'settled', 'expired'] as const;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Payments of callers without an account, each for one call. */
export function X402Payments() {
  const change = useChangeSearch();
  const wanted = useSearchValue('state');
  const written = useSearchValue('address');
  const day = useSearchValue('day');
  const state = STATES.find((one) => one === wanted);
  const isWrong = written !== undefined && !ADDRESS.test(written);
  const filter = {
    ...(state && { state }),
    ...(written !== undefined && !isWrong && { address: written }),
    ...(day && { day }),
  };
  const query = useInfiniteQuery(list('/v1/operator/x402-payments', { query: { limit: 25, ...filter } }));
  return (
    <>
      <Group align="flex-end" mb="sm">
        <Select
          label="State"
          size="xs"
          w={150}
          clearable
          placeholder="All"
          value={state ?? null}
          onChange={(value) => change({ state: value })}
          data={STATES.map((value) => ({ value, label: formatCode(value) }))}
        />
        <TextInput
          label="Paying address"
          size="xs"
          w={330}
          placeholder="0x…"
          value={written ?? ''}
          error={isWrong && 'An address is 0x and 40 hexadecimal digits.'}
          onChange={(event) => change({ address: event.currentTarget.value.trim() || null })}
        />
        <DateField label="Day (UTC)" value={day ?? ''} onChange={(value) => change({ day: value || null })} />
        <ExportButton
          path="/v1/operator/x402-payments"
          input={{ query: filter }}
          name="x402-payments"
          columns={X402_CSV}
        />
      </Group>
      <ListTable<Payment>
        label="Payments by x402"
        query={query}
        keyOf={({ payment_id: id }) => id}
        empty={<Empty title="No payments">Callers without an account make them, one for each call.</Empty>}
        columns={[
          { title: 'Made', cell: (one) => <Time at={one.created_at} /> },
          { title: 'State', cell: (one) => <Status value={one.state} /> },
          { title: 'Because', cell: (one) => (one.reason ? formatCode(one.reason) : '–') },
          {
            title: 'Paid by',
            cell: (one) => (
              <AppLink to={`/operator/accounts/${one.user_id}`}>{shortAddress(one.payer)}</AppLink>
            ),
          },
          {
            title: 'Call',
            cell: ({ invocation_id: id }) =>
              id === null ? '–' : <AppLink to={`/operator/calls/${id}`}>{`${id.slice(0, 12)}…`}</AppLink>,
          },
          { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          {
            title: 'Transaction',
            cell: ({ transaction }) => (transaction === null ? '–' : <Id value={transaction} />),
          },
          { title: '', right: true, cell: (one) => <X402Details id={one.payment_id} /> },
        ]}
      />
    </>
  );
}

const shortAddress = (address: string) => `${address.slice(0, 8)}…${address.slice(-4)}`;
