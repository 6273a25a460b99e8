import { Card, Group, Stack, Text } from '@mantine/core';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import { Refusal } from '../../ui/owner';
import { Facts, Section } from '../../ui/page';
import { Time } from '../../ui/time';
import { RenameForm } from '../account/name-form';
import { ZoneForm } from '../account/time-zone-form';
import { may, type Organisation } from './organisation';

/** Name and second factor of the organisation. Owners change them. */
export function Settings({ org }: { org: Organisation }) {
  const isOwner = may(org, 'own');
  return (
    <Stack gap="lg">
      <Card withBorder>
        <Facts
          rows={[
            ['Name', org.name],
            ['Developer id', org.developer_id ?? 'None: it sells no agents'],
            ['Second factor', org.require_second_factor ? 'Required' : 'Not required'],
            ['Time zone', `${org.time_zone}, in which days, weeks and months of budgets begin`],
            ['Since', <Time key="s" at={org.created_at} />],
          ]}
        />
      </Card>
      {isOwner ? (
        <>
          <RenameForm
            key={org.name}
            label="Name of the organisation"
            field="name"
            done="The name is changed."
            before={org.name}
            save={(name) =>
              send('patch', '/v1/organisations/{org_id}', { path: { org_id: org.org_id }, body: { name } })
            }
          />
          <ZoneForm
            key={org.time_zone}
            before={org.time_zone}
            save={(zone) =>
              send('patch', '/v1/organisations/{org_id}', {
                path: { org_id: org.org_id },
                body: { time_zone: zone },
              })
            }
          />
          <SecondFactor org={org} />
        </>
      ) : (
        <Refusal needs="own" name={org.name} role={org.role} />
      )}
    </Stack>
  );
}

function SecondFactor({ org: { org_id: id, require_second_factor: required } }: { org: Organisation }) {
  return (
    <Section title="Second factor">
      <Group align="flex-start" gap="sm">
        <Text fz="sm" maw={520}>
          {required
            ? 'Members act for the organisation in sessions that began with a code of an authenticator app only.'
            : 'Members act for the organisation with their password alone, unless their account has an authenticator app.'}
        </Text>
        <Ask
          action={required ? 'No longer require it' : 'Require a second factor'}
          question={
            required
              ? 'Sessions that began without a code may act for the organisation again.'
              : 'Sessions that began without a code no longer act for the organisation. Your session must have begun with one.'
          }
          done={required ? 'A second factor is no longer required.' : 'A second factor is required.'}
          run={() =>
            send('patch', '/v1/organisations/{org_id}', {
              path: { org_id: id },
              body: { require_second_factor: !required },
            })
          }
        />
      </Group>
    </Section>
  );
}
