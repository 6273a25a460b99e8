import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../client/queries';
import { ActFor } from '../features/organisations/act-for';
import { Convert } from '../features/organisations/convert';
import { Found } from '../features/organisations/found';
import { ListTable } from '../ui/data-table';
import { formatCode } from '../ui/format';
import { AppLink } from '../ui/link';
import { Page, Section } from '../ui/page';
import { Empty } from '../ui/states';
import { Time } from '../ui/time';
import { Written } from '../ui/written';

/** The organisations of the person, and how there come to be more. */
export function OrganisationsPage() {
  const query = useInfiniteQuery(list('/v1/organisations', { query: { limit: 50 } }));
  return (
    <Page
      title="Organisations"
      subtitle="A company buys and sells with one wallet. Its members act for it, each in one role."
      actions={<Found />}
    >
      <ListTable<ItemOf<'/v1/organisations'>>
        label="Organisations"
        query={query}
        keyOf={({ org_id: id }) => id}
        empty={
          <Empty title="You are in no organisation">
            Found one, or ask a colleague for an invitation to the address of your account.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            cell: ({ org_id: id, name }) => (
              <AppLink to={`/organisations/${id}`} fw={600}>
                <Written>{name}</Written>
              </AppLink>
            ),
          },
          { title: 'Your role', cell: ({ role }) => formatCode(role) },
          {
            title: 'Second factor',
            cell: ({ require_second_factor: required }) => (required ? 'Required' : 'Not required'),
          },
          { title: 'Since', cell: ({ created_at: at }) => <Time at={at} /> },
          { title: '', right: true, cell: ({ org_id: id }) => <ActFor orgId={id} /> },
        ]}
      />
      <Section
        title="Your account as an organisation"
        note="For an account that a company has used so far: its credits, keys, agents and history go on under the organisation."
      >
        <div>
          <Convert />
        </div>
      </Section>
    </Page>
  );
}
