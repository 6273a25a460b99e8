import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatMinor } from '../../ui/format';
import { Money } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { ofPayment, problemText } from './decisions-of-money';
import { PAYMENTS_CSV } from './list-files';

/** Payments of the provider; those in quarantine wait for a decision. */
export function ProviderPayments() {
  const query = useInfiniteQuery(list('/v1/operator/payments', { query: { limit: 25 } }));
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <ExportButton path="/v1/operator/payments" name="payments" columns={PAYMENTS_CSV} />
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
