import { Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { send, type Answer } from '../client/http';
import { get } from '../client/queries';
import { nextVersion } from '../features/own-agents/next-version';
import { RegistrationForm } from '../features/own-agents/registration-form';
import {
  changedRegistration,
  valuesOf,
  type RegistrationValues,
} from '../features/own-agents/registration-values';
import { Page } from '../ui/page';
import { useParam } from '../ui/params';
import { QueryView } from '../ui/query-view';
import { Waiting } from '../ui/states';
import { isolated } from '../ui/isolated';

const ManifestForm = lazy(() => import('../features/publish/manifest-form'));
type OwnAgent = Answer<'/v1/developer/agents/{agent_id}', 'get'>;
type Registration = NonNullable<OwnAgent['registration']>;

/** Changes an own agent: its registration by a form, its manifest as the next version. */
export function EditAgentPage() {
  const id = useParam('agentId');
  const query = useQuery({
    ...get('/v1/developer/agents/{agent_id}', { path: { agent_id: id } }),
    // What is being typed must not change under the reader's hands.
    refetchOnWindowFocus: false,
  });
  return (
    <Page
      title={query.data ? `Edit ${isolated(query.data.display_name)}` : 'Edit an agent'}
      back={{ to: `/developer/agents/${id}`, label: query.data?.display_name ?? 'Agent' }}
    >
      <QueryView query={query}>
        {(agent) =>
          agent.registration ? (
            <EditRegistration id={id} registration={agent.registration} />
          ) : (
            <EditManifest manifest={agent.manifest} newest={agent.latest_version.version} />
          )
        }
      </QueryView>
    </Page>
  );
}

function EditRegistration({ id, registration }: { id: string; registration: Registration }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [before] = useState(() => valuesOf(registration));
  const change = useMutation({
    mutationFn: (values: RegistrationValues) =>
      send('patch', '/v1/agents/{agent_id}/registration', {
        path: { agent_id: id },
        body: changedRegistration(before, values) as never,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      await navigate({ to: `/developer/agents/${id}` });
    },
  });
  return (
    <Stack>
      <Text fz="sm" c="dimmed" maw={620}>
        The change becomes a new version. What buyers read, the address, the price and the schemas are
        verified first; until then the present version serves.
      </Text>
      <RegistrationForm
        initial={before}
        isChange
        hasCredential={registration.upstream_auth_set}
        action="Save the change"
        mutation={change}
      />
    </Stack>
  );
}

function EditManifest({ manifest, newest }: { manifest: OwnAgent['manifest']; newest: string }) {
  const version = nextVersion(newest);
  const [text, setText] = useState(() => JSON.stringify({ ...manifest, version }, null, 2));
  return (
    <Stack>
      <Text fz="sm" c="dimmed" maw={760}>
        Change the manifest and publish it as version {version}. The present version serves until the new one
        has passed its verification. The source is not kept with a manifest: to send it again, publish the
        folder.
      </Text>
      <Suspense fallback={<Waiting lines={2} />}>
        <ManifestForm text={text} onChange={setText} bundle={undefined} />
      </Suspense>
    </Stack>
  );
}
