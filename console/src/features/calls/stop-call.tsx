import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import type { CallDetail } from './call-steps';

/** Ends a running call, and says what it costs. */
export function StopCall({ call: { invocation_id: id, job } }: { call: CallDetail }) {
  const isPaid = job !== undefined && job.milestones.length > 0;
  const cost = isPaid ? 'the milestones that were reached are charged' : 'nothing is charged';
  return (
    <Ask
      action="Stop"
      danger
      size="xs"
      question={`The call ends now, the agent is hung up on, and ${cost}.`}
      done={
        isPaid
          ? 'The call is stopped. The milestones that were reached are charged.'
          : 'The call is stopped. Nothing was charged.'
      }
      run={() => send('delete', '/v1/invocations/{invocation_id}', { path: { invocation_id: id } })}
    />
  );
}
