import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { get } from '../client/queries';
import { AuditLog } from '../features/operator/audit-log';
import { ofDispute } from '../features/operator/decisions-of-cases';
import { DisputeEvidence } from '../features/operator/evidence';
import { OfferShown } from '../features/calls/dispute-offers';
import { Ask } from '../ui/ask';
import { formatCode } from '../ui/format';
import { Id } from '../ui/id';
import { AppLink } from '../ui/link';
import { Credits } from '../ui/money';
import { Facts, Page, Section } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Said } from '../ui/said';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

/** A dispute as operators see it, in any state. */
export function OperatorDisputePage() {
  const id = useParam('disputeId');
  const query = useQuery(get('/v1/operator/disputes/{dispute_id}', { path: { dispute_id: id } }));
  return (
    <Page
      title={query.data ? `Dispute: ${formatCode(query.data.reason)}` : 'Dispute'}
      back={{ to: '/operator/disputes', label: 'Disputes' }}
      subtitle={<Id value={id} short={false} />}
      aside={query.data && <Status value={query.data.status} />}
      actions={
        query.data?.status === 'contested' && (
          <Group gap={6}>
            {ofDispute(query.data).actions.map(({ button, single: _single, ...each }) =>
              button ? (
                <Fragment key={each.action}>{button()}</Fragment>
              ) : (
                <Ask key={each.action} {...each} reason="Reason" />
              ),
            )}
          </Group>
        )
      }
    >
      <QueryView query={query}>
        {(one) => (
          <>
            <Card withBorder>
              <Facts
                rows={[
                  [
                    'Call',
                    <AppLink key="c" to={`/operator/calls/${one.invocation_id}`}>
                      Open the call
                    </AppLink>,
                  ],
                  [
                    'Agent',
                    <AppLink key="a" to={`/operator/agents/${one.agent_id}`}>
                      {one.agent_id}
                    </AppLink>,
                  ],
                  [
                    'Buyer',
                    <AppLink key="b" to={`/operator/accounts/${one.buyer_user_id}`}>
                      Open the account
                    </AppLink>,
                  ],
                  [
                    'Developer',
                    <AppLink key="d" to={`/operator/accounts/${one.developer_user_id}`}>
                      Open the account
                    </AppLink>,
                  ],
                  ['Opened', <Time key="o" at={one.opened_at} />],
                  one.respond_by !== null && ['Answer due', <Time key="r" at={one.respond_by} />],
                  one.resolved_at !== null && ['Decided', <Time key="e" at={one.resolved_at} />],
                  one.resolution !== null && ['How', formatCode(one.resolution)],
                  ['Refunded', <Credits key="f" value={one.refunded_credits} />],
                ]}
              />
            </Card>
            <Said title="The buyer" text={one.description} />
            <Said title="The developer" text={one.statement} />
            {one.offer && <OfferShown offer={one.offer} role="buyer" />}
            <Said title="The operator" text={one.decision_reason} />
            <Section title="Evidence">
              <Card withBorder>
                <DisputeEvidence disputeId={id} />
              </Card>
            </Section>
          </>
        )}
      </QueryView>
      <Section title="What operators did">
        <AuditLog subject={id} />
      </Section>
    </Page>
  );
}
