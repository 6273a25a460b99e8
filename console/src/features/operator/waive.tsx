import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { send } from '../../client/http';
import { Ask } from '../../ui/ask';

const USUAL_DAYS = 90;
const MOST_DAYS = 365;

/** Waives a finding for some days, with a reason that its trust report shows. */
export function Waive({ agentId, findingId }: { agentId: string; findingId: string }) {
  const [days, setDays] = useState<string | number>(USUAL_DAYS);
  return (
    <Ask
      action="Waive"
      question="Until the waiver expires, the finding takes no points and does not limit the badge. A verification begins."
      reason="Reason, which the trust report shows"
      done="The finding is waived."
      fields={
        <NumberInput
          label="Days"
          value={days}
          onChange={setDays}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          required
          data-autofocus
        />
      }
      ready={days !== ''}
      run={(reason) =>
        send('post', '/v1/operator/agents/{agent_id}/findings/{finding_id}/waive', {
          path: { agent_id: agentId, finding_id: findingId },
          body: { reason, waiver_days: Number(days) },
        })
      }
    />
  );
}
