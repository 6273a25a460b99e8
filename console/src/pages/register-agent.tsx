import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { send } from '../client/http';
import { ForDevelopers } from '../features/own-agents/for-developers';
import { RegistrationForm } from '../features/own-agents/registration-form';
import {
  EMPTY_REGISTRATION,
  newRegistration,
  type RegistrationValues,
} from '../features/own-agents/registration-values';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { useSessionText } from '../ui/session-text';

const TITLE = 'Register an agent by its endpoint';

/** Publishing by an endpoint alone, for developers. */
export function RegisterAgentPage() {
  return <ForDevelopers title={TITLE}>{() => <Registering />}</ForDevelopers>;
}

function Registering() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [draft, keep] = useSessionText('draft of a registration');
  const register = useMutation({
    mutationFn: (values: RegistrationValues) =>
      send('post', '/v1/agents/register', { body: newRegistration(values) as never }),
    onSuccess: async ({ agent_id: id }) => {
      keep('');
      await queries.invalidateQueries({ queryKey: ['/v1/developer/agents'] });
      await navigate({ to: `/developer/agents/${id}` });
    },
  });
  return (
    <Page
      title={TITLE}
      back={{ to: '/developer/agents', label: 'Your agents' }}
      subtitle={
        <>
          For an HTTP service, an MCP server or an A2A agent that runs already. The marketplace calls it to
          test it, and lists it when it passes. An agent with a manifest and source can get a higher score:{' '}
          <AppLink to="/developer/publish">publish by its manifest</AppLink>.
        </>
      }
    >
      <RegistrationForm
        initial={
          draft === ''
            ? EMPTY_REGISTRATION
            : { ...EMPTY_REGISTRATION, ...(JSON.parse(draft) as Partial<RegistrationValues>) }
        }
        // The secret of the endpoint is not kept.
        onChange={({ key: _secret, ...values }) => keep(JSON.stringify(values))}
        isChange={false}
        action="Register and verify"
        mutation={register}
      />
    </Page>
  );
}
