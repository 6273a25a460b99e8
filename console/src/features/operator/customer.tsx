import { Card } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { formatCode } from '../../ui/format';
import { Id } from '../../ui/id';
import { Credits, Money } from '../../ui/money';
import { Facts } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

export type OperatorAccount = Answer<'/v1/operator/accounts/{user_id}', 'get'>;

/** Who it is, and what the account has. */
export function CustomerFacts({ account }: { account: OperatorAccount }) {
  const { balances } = account;
  const sells = account.developer_id !== null;
  return (
    <Card withBorder>
      <Facts
        rows={[
          ['Name', <bdi key="n">{account.display_name}</bdi>],
          ['Address', `${account.email}${account.email_confirmed ? '' : ' (not confirmed)'}`],
          ['Role', formatCode(account.role)],
          sells && ['Developer id', <Id key="i" value={account.developer_id ?? ''} short={false} />],
          ['Signed up', <Time key="t" at={account.created_at} />],
          ['Authenticator app', account.second_factor ? 'In use' : 'Not in use'],
          ['Wallet', <Credits key="w" value={balances.wallet_credits} />],
          ['Held for calls', <Credits key="e" value={balances.escrow_credits} />],
          sells && ['Earned, not paid', <Credits key="p" value={balances.payable_credits} />],
          sells && ['Bond', <Credits key="b" value={balances.bond_credits} />],
          balances.slash_hold_credits > 0 && [
            'Slashed for now',
            <Credits key="s" value={balances.slash_hold_credits} />,
          ],
          ['Owes', <Credits key="d" value={account.debt_credits} />],
          account.frozen_since !== null && ['Frozen since', <Time key="f" at={account.frozen_since} />],
        ]}
      />
    </Card>
  );
}

/** The API keys of the account, by their last characters. */
export function CustomerKeys({ userId }: { userId: string }) {
  const query = useInfiniteQuery(
    list('/v1/operator/accounts/{user_id}/keys', { path: { user_id: userId }, query: { limit: 25 } }),
  );
  return (
    <ListTable<ItemOf<'/v1/operator/accounts/{user_id}/keys'>>
      label="API keys"
      query={query}
      keyOf={(one) => one.key_id}
      empty={<Empty title="No API keys" />}
      columns={[
        { title: 'Name', cell: (one) => <bdi className="anywhere">{one.name}</bdi> },
        { title: 'Ends with', cell: (one) => `…${one.key_hint}` },
        { title: 'Id', cell: (one) => <Id value={one.key_id} /> },
        { title: 'Spent', right: true, cell: (one) => <Credits value={one.spent_credits} unit={false} /> },
        {
          title: 'Cap',
          right: true,
          cell: (one) => (one.credit_cap === null ? 'None' : <Credits value={one.credit_cap} unit={false} />),
        },
        {
          title: 'Last used',
          cell: (one) => (one.last_used_at ? <Time at={one.last_used_at} ago /> : 'Never'),
        },
      ]}
    />
  );
}

/** The payouts of the account. */
export function CustomerPayouts({ userId }: { userId: string }) {
  const query = useInfiniteQuery(
    list('/v1/operator/payouts', { query: { developer_user_id: userId, limit: 25 } }),
  );
  return (
    <ListTable<ItemOf<'/v1/operator/payouts'>>
      label="Payouts"
      query={query}
      keyOf={(one) => one.payout_id}
      empty={<Empty title="No payouts" />}
      columns={[
        { title: 'Made', cell: (one) => <Time at={one.initiated_at} /> },
        { title: 'Id', cell: (one) => <Id value={one.payout_id} /> },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        { title: 'Because', cell: (one) => (one.reason ? formatCode(one.reason) : '–') },
        {
          title: 'Amount',
          right: true,
          cell: (one) => <Money minor={one.amount_minor} currency={one.currency} />,
        },
      ]}
    />
  );
}
