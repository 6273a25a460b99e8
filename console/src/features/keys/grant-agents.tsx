import { Stack, Text } from '@mantine/core';
import type { ItemOf } from '../../client/queries';
import { creditsText } from '../../ui/format';

type Grant = ItemOf<'/v1/oauth/grants'>;

/** The agents that an application may call, and the limits that an agent has to keep. */
export function GrantAgents({ grant }: { grant: Grant }) {
  return (
    <Stack gap={0}>
      <Small text={agentsOf(grant)} />
      <CallLimits of={grant} />
    </Stack>
  );
}

function CallLimits({ of }: { of: Pick<Grant, 'call_cap' | 'min_trust_score'> }) {
  const { call_cap: cap, min_trust_score: trust } = of;
  return (
    <>
      {cap !== null && <Small text={`At most ${creditsText(cap)} for one call`} />}
      {trust !== null && <Small text={`Trust score of at least ${trust}`} />}
    </>
  );
}

/** The limits of the calls that a key may make. */
export function KeyLimits({ of }: { of: Pick<Grant, 'agents' | 'call_cap' | 'min_trust_score'> }) {
  return (
    <>
      {of.agents !== null && <Small text={`Only ${of.agents.join(', ')}`} />}
      <CallLimits of={of} />
    </>
  );
}

/** The agents that an application may call. */
function agentsOf({ agent_id: id, agents }: Grant): string {
  if (id !== '*') return id;
  return agents === null ? 'All agents' : agents.join(', ');
}

export function Small({ text }: { text: string }) {
  return (
    <Text fz="xs" c="dimmed" component="span">
      {text}
    </Text>
  );
}
