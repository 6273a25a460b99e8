import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { send } from '../client/http';
import { sessionQuery } from '../client/session';
import { RegistrationForm } from '../features/own-agents/registration-form';
import {
  EMPTY_REGISTRATION,
  newRegistration,
  type RegistrationValues,
} from '../features/own-agents/registration-values';
import { StartSelling } from '../features/own-agents/start-selling';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';

/** Publishing by an endpoint alone; for a buyer, the way to begin. */
export function RegisterAgentPage() {
  return useQuery(sessionQuery).data?.role === 'buyer' ? <StartSelling /> : <Registering />;
}

function Registering() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const register = useMutation({
    mutationFn: (values: RegistrationValues) =>
      send('post', '/v1/agents/register', { body: newRegistration(values) as never }),
    onSuccess: async ({ agent_id: id }) => {
      await queries.invalidateQueries({ queryKey: ['/v1/developer/agents'] });
      await navigate({ to: `/developer/agents/${id}` });
    },
  });
  return (
    <Page
      title="Register an agent by its endpoint"
      back={{ to: '/developer/agents', label: 'Your agents' }}
      subtitle={
        <>
          For an HTTP service or an MCP server that runs already. The marketplace calls it to test it, and
          lists it when it passes. An agent with a manifest and source can get a higher score:{' '}
          <AppLink to="/developer/publish">publish by its manifest</AppLink>.
        </>
      }
    >
      <RegistrationForm
        initial={EMPTY_REGISTRATION}
        isChange={false}
        action="Register and verify"
        mutation={register}
      />
    </Page>
  );
}
