import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { send } from '../client/http';
import { RegistrationForm } from '../features/own-agents/registration-form';
import {
  EMPTY_REGISTRATION,
  newRegistration,
  type RegistrationValues,
} from '../features/own-agents/registration-values';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';

/** Publishes an agent by its endpoint alone. */
export function RegisterAgentPage() {
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
