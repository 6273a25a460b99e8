import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { ActFor } from '../features/organisations/act-for';
import { Invitations } from '../features/organisations/invitations';
import { may, type Organisation } from '../features/organisations/organisation';
import { OrganisationLog } from '../features/organisations/log';
import { Members } from '../features/organisations/members';
import { OrganisationRules } from '../features/organisations/rules';
import { Settings } from '../features/organisations/settings';
import { SignIn } from '../features/organisations/sign-in';
import { Id } from '../ui/id';
import { Refusal } from '../ui/owner';
import { Page } from '../ui/page';
import { PageTabs } from '../ui/page-tabs';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';

/** One organisation: its members, invitations, settings, company sign-in and log, as far as the role permits. */
export function OrganisationPage() {
  const id = useParam('orgId');
  const query = useQuery(get('/v1/organisations/{org_id}', { path: { org_id: id } }));
  const org = query.data;
  return (
    <Page
      title={org?.name ?? 'Organisation'}
      back={{ to: '/organisations', label: 'Organisations' }}
      aside={org && <Status value="active" label={`You are ${org.role}`} />}
      subtitle={
        <Group gap="xs">
          <Id value={id} short={false} />
        </Group>
      }
      actions={org && <ActFor orgId={id} />}
    >
      <QueryView query={query}>{(found) => <Views org={found} />}</QueryView>
    </Page>
  );
}

function Views({ org }: { org: Organisation }) {
  const rules = (needs: 'members' | 'audit', content: React.ReactNode) =>
    may(org, needs) ? content : <Refusal needs={needs} name={org.name} role={org.role} />;
  return (
    <PageTabs
      tabs={[
        { value: 'members', label: 'Members', content: <Members org={org} /> },
        { value: 'invitations', label: 'Invitations', content: rules('members', <Invitations org={org} />) },
        { value: 'rules', label: 'Rules', content: <OrganisationRules org={org} /> },
        { value: 'settings', label: 'Settings', content: <Settings org={org} /> },
        { value: 'sign-in', label: 'Company sign-in', content: rules('members', <SignIn org={org} />) },
        { value: 'log', label: 'Log', content: rules('audit', <OrganisationLog orgId={org.org_id} />) },
      ]}
    />
  );
}
