import { Group, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatCode, formatMinor } from '../../ui/format';
import { Money } from '../../ui/money';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { ofPayment, problemText } from './decisions-of-money';
import { PAYMENTS_CSV } from './list-files';

const STATES = ['quarantined', 'credited', 'resolved_credited', 'resolved_returned'] as const;

/** Payments of the provider; those in quarantine wait for a decision. */
export function ProviderPayments() {
  const change = useChangeSearch();
  const wanted = useSearchValue('state');
  const state = STATES.find((one) => one === wanted) ?? 'quarantined';
  const query = useInfiniteQuery(list('/v1/operator/payments', { query: { limit: 25, state } }));
  return (
    <>
      <Group align="flex-end" mb="sm">
        <Select
          label="State"
          size="xs"
          w={180}
          allowDeselect={false}
          value={state}
          onChange={(value) => change({ state: value })}
          data={STATES.map((value) => ({ value, label: formatCode(value) }))}
        />
        <ExportButton
          path="/v1/operator/payments"
          input={{ query: { state } }}
          name={`payments-${state}`}
          columns={PAYMENTS_CSV}
        />
      </Group>
      <ListTable<ItemOf<'/v1/operator/payments'>>
        label="Payments"
        query={query}
        keyOf={({ payment_id: id }) => id}
        empty={<Empty title="No payments">The sandbox makes none; payments of a provider appear here.</Empty>}
        columns={[
          { title: 'Received', cell: (one) => <Time at={one.received_at} /> },
          { title: 'State', cell: (one) => <Status value={one.state} /> },
          { title: 'Problem', cell: (one) => problemText(one.quarantine_reason) },
          {
            title: 'Amount',
            right: true,
            cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
          },
          {
            title: 'Expected',
            right: true,
            cell: (one) => <Money minor={one.expected_minor} currency={one.currency} />,
          },
          {
            title: '',
            right: true,
            cell: (one) =>
              one.state !== 'quarantined' ? (
                one.state !== 'resolved_returned' && <Refund payment={one} />
              ) : (
                <Group gap={6} justify="flex-end" wrap="nowrap">
                  {ofPayment(one).actions.map(({ button, single: _single, ...each }) =>
                    button ? (
                      <Fragment key={each.action}>{button()}</Fragment>
                    ) : (
                      <Ask key={each.action} {...each} reason="Reason" />
                    ),
                  )}
                </Group>
              ),
          },
        ]}
      />
    </>
  );
}

/** Sends the money of a payment back by its provider; the credits follow when it reports the refund. */
function Refund({ payment }: { payment: ItemOf<'/v1/operator/payments'> }) {
  const { payment_id: id, amount_minor: minor, currency } = payment;
  return (
    <Ask
      action="Refund"
      danger
      question="The provider sends the money back, and its credits are taken from the wallet."
      confirm={`Refund ${formatMinor(minor, currency)}`}
      reason="Reason"
      done="The refund is requested."
      run={(reason) =>
        send('post', '/v1/operator/payments/{payment_id}/refund', {
          path: { payment_id: id },
          body: { reason },
        })
      }
    />
  );
}
