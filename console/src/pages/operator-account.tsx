import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send } from '../client/http';
import { get } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { AccountMovements } from '../features/operator/movements';
import { Ask } from '../ui/ask';
import { formatCode } from '../ui/format';
import { Id } from '../ui/id';
import { Credits } from '../ui/money';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

/** An account as operators see it, with its wallet's freeze. */
export function OperatorAccountPage() {
  const id = useParam('userId');
  const path = { user_id: id };
  const query = useQuery(get('/v1/operator/accounts/{user_id}', { path }));
  const frozen = query.data?.wallet_frozen === true;
  return (
    <Page
      title={query.data?.email ?? 'Account'}
      back={{ to: '/operator', label: 'Decisions' }}
      subtitle={<Id value={id} short={false} />}
      aside={frozen && <Status value="frozen" />}
      actions={
        frozen ? (
          <Ask
            action="Unfreeze the wallet"
            question="The account can spend again."
            reason="Reason"
            done="The wallet is open."
            run={(reason) =>
              send('post', '/v1/operator/accounts/{user_id}/unfreeze', { path, body: { reason } })
            }
          />
        ) : (
          <Ask
            action="Freeze the wallet"
            danger
            question="The account can spend nothing until the wallet is unfrozen."
            reason="Reason"
            done="The wallet is frozen."
            run={(reason) =>
              send('post', '/v1/operator/accounts/{user_id}/freeze', { path, body: { reason } })
            }
          />
        )
      }
    >
      <QueryView query={query}>
        {(account) => (
          <Card withBorder>
            <Facts
              rows={[
                ['Role', formatCode(account.role)],
                ['Owes', <Credits key="d" value={account.debt_credits} />],
                account.frozen_since !== null && ['Frozen since', <Time key="f" at={account.frozen_since} />],
              ]}
            />
          </Card>
        )}
      </QueryView>
      <Section title="Money" note="Every movement of the wallet, the escrow, the earnings and the bond.">
        <AccountMovements userId={id} />
      </Section>
      <Section title="What operators did">
        <AuditLog subject={id} />
      </Section>
    </Page>
  );
}
