import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';

const METHODS = '/v1/billing/payment-methods';
type Method = ItemOf<typeof METHODS>;

/** The payment methods that the account has saved at the payment provider. */
export function PaymentMethods() {
  const query = useInfiniteQuery(list(METHODS, { query: { limit: 20 } }));
  return (
    <Section title="Saved payment methods">
      <ListTable<Method>
        label="Saved payment methods"
        query={query}
        keyOf={({ method_id: id }) => id}
        empty={
          <Empty title="No saved payment methods">
            Add credits and choose to save the payment method. The payment provider keeps it; the marketplace
            has no card data.
          </Empty>
        }
        columns={[
          { title: 'Method', cell: ({ label }) => <Written>{label}</Written> },
          { title: 'Currency', cell: ({ currency }) => currency },
          { title: 'Saved', cell: ({ created_at: at }) => <Time at={at} /> },
          {
            title: '',
            right: true,
            cell: ({ method_id: id }) => (
              <Permitted needs="money" quiet>
                <Ask
                  action="Delete"
                  danger
                  question="Automatic top-ups with this method are turned off."
                  done="The payment method is deleted."
                  run={() =>
                    send('delete', '/v1/billing/payment-methods/{method_id}', { path: { method_id: id } })
                  }
                />
              </Permitted>
            ),
          },
        ]}
      />
    </Section>
  );
}
