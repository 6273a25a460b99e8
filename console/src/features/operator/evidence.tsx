import { Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get } from '../../client/queries';
import { Json } from '../../ui/code-block';
import { formatDuration, formatSurface, formatWhole } from '../../ui/format';
import { Credits } from '../../ui/money';
import { Facts } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Time } from '../../ui/time';

/** Evidence that is read when an operator asks for it. */
export function Evidence({ children }: { children: ReactNode }) {
  const [opened, { toggle }] = useDisclosure();
  return (
    <div>
      <Button variant="subtle" size="compact-xs" mt={6} onClick={toggle} aria-expanded={opened}>
        {opened ? 'Hide the evidence' : 'Show the evidence'}
      </Button>
      <Collapse in={opened} mt="xs">
        {opened && children}
      </Collapse>
    </div>
  );
}

/** The facts of the disputed call, and what the buyer attached. */
export function DisputeEvidence({ disputeId }: { disputeId: string }) {
  const query = useQuery(get('/v1/operator/disputes/{dispute_id}', { path: { dispute_id: disputeId } }));
  return (
    <QueryView query={query}>
      {({ call, attachments }) => (
        <Stack gap="sm">
          <Facts
            rows={[
              ['Charged', <Credits key="c" value={call.credits_charged} />],
              ['Version, by', `${call.version}, ${formatSurface(call.surface)}`],
              ['Accepted', <Time key="i" at={call.invoked_at} />],
              ['Duration', call.duration_ms === null ? '–' : formatDuration(call.duration_ms)],
              [
                'Output schema',
                call.schema_valid === null ? 'Not checked' : call.schema_valid ? 'Valid' : 'Violated',
              ],
              ['Input', call.input_bytes === null ? '–' : `${formatWhole(call.input_bytes)} bytes`],
              ['Output', call.output_bytes === null ? '–' : `${formatWhole(call.output_bytes)} bytes`],
            ]}
          />
          {'input' in attachments && <Json value={attachments.input} label="attached input" />}
          {'output' in attachments && <Json value={attachments.output} label="attached output" />}
        </Stack>
      )}
    </QueryView>
  );
}
