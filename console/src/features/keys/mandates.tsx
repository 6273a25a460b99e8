import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { isolated } from '../../ui/isolated';
import { Permitted } from '../../ui/owner';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { Small } from './grant-agents';
import { Spend } from './spend';

type Mandate = ItemOf<'/v1/mandates'>;
type MandateKey = ItemOf<'/v1/mandate-keys'>;

/** What others may spend of the account's credits by mandates, and the keys that sign them (docs/mandates.md). */
export function Mandates() {
  const mandates = useInfiniteQuery(list('/v1/mandates', { query: { limit: 25 } }));
  return (
    <Stack gap="sm" mt="xl">
      <div>
        <Title order={2} fz="lg">
          Mandates
        </Title>
        <Text c="dimmed" fz="sm">
          A mandate lets another agent or account spend your credits within its limits. It is signed by a key
          that you have registered, and is listed here once it is used.
        </Text>
      </div>
      <ListTable<Mandate>
        label="Mandates"
        query={mandates}
        keyOf={({ mandate_id: id }) => id}
        empty={
          <Empty title="No mandate was used">
            <Anchor href="/docs/mandates">How agents pay agents</Anchor>
          </Empty>
        }
        columns={[
          { title: 'Spends', cell: (one) => <Who mandate={one} /> },
          { title: 'State', cell: ({ status }) => <Status value={status} /> },
          {
            title: 'Spent',
            right: true,
            cell: ({ spent_credits: spent, max_credits: most }) => <Spend spent={spent} cap={most} />,
          },
          { title: 'Calls', right: true, cell: (one) => <Calls mandate={one} /> },
          { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
          {
            title: '',
            right: true,
            cell: (one) =>
              one.status === 'active' && (
                <Permitted needs="mandates" quiet>
                  <Revoke mandate={one} />
                </Permitted>
              ),
          },
        ]}
      />
      <SigningKeys />
    </Stack>
  );
}

function Who({ mandate: { subject, jti, depth } }: { mandate: Mandate }) {
  return (
    <Stack gap={0}>
      <Text fz="sm" fw={600} className="anywhere">
        {subject}
      </Text>
      <Small text={depth > 1 ? `${jti}, delegated` : jti} />
    </Stack>
  );
}

const Calls = ({ mandate: { occurrences: made, max_occurrences: most } }: { mandate: Mandate }) =>
  most === null ? String(made) : `${made} of ${most}`;

function Revoke({ mandate: { mandate_id: id, subject } }: { mandate: Mandate }) {
  return (
    <Ask
      action="Revoke"
      danger
      question={`${isolated(subject)} spends nothing more under this mandate, and neither does anyone to whom it was delegated. Calls that run go on.`}
      done="The mandate is revoked."
      run={() => send('delete', '/v1/mandates/{mandate_id}', { path: { mandate_id: id } })}
    />
  );
}

/** The public keys that sign mandates for the account; nothing without one. */
function SigningKeys() {
  const query = useInfiniteQuery(list('/v1/mandate-keys', { query: { limit: 25 } }));
  if (!query.data?.pages[0]?.items.length) return null;
  return (
    <ListTable<MandateKey>
      label="Keys that sign mandates"
      query={query}
      keyOf={({ kid }) => kid}
      empty={null}
      columns={[
        {
          title: 'Key that signs mandates',
          cell: ({ name, kid }) => (
            <Stack gap={0}>
              {name !== null && <Written>{name}</Written>}
              <Small text={kid} />
            </Stack>
          ),
        },
        { title: 'Registered', cell: ({ created_at: at }) => <Time at={at} /> },
        {
          title: '',
          right: true,
          cell: ({ kid }) => (
            <Permitted needs="mandates" quiet>
              <Ask
                action="Remove"
                danger
                question="Calls under the mandates that this key signed are refused from now on. Calls that run go on."
                done="The key is removed."
                run={() => send('delete', '/v1/mandate-keys/{kid}', { path: { kid } })}
              />
            </Permitted>
          ),
        },
      ]}
    />
  );
}
