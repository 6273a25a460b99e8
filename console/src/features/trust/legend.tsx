import { Collapse, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Credits } from '../../ui/money';
import { BadgePill } from '../../ui/trust';

/** The bond that each badge needs; the tiers of bonds have the names of badges. */
const BONDS = { basic: 500, standard: 2_500, premium: 10_000 } as const;
const BADGES = ['basic', 'standard', 'premium'] as const;

/** What score and badge mean, by the rubric of the report. */
export function Legend({ rubric: version }: { rubric: string }) {
  const [opened, { toggle }] = useDisclosure();
  const query = useQuery({ ...get('/v1/rubrics/{version}', { path: { version } }), enabled: opened });
  const least = query.data?.document['badges'] as Record<string, number> | undefined;
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={opened} fz="sm" td="underline">
        What score and badge mean
      </UnstyledButton>
      <Collapse in={opened} mt="xs">
        <Stack gap={6}>
          <Text fz="sm">
            The score is what verification could check, in four stages: 25 points for the code, 25 for its
            packages, 30 for answers to probes and 20 for attacks that it withstands. What could not be
            examined earns no points.
          </Text>
          {BADGES.map((badge) => (
            <Text key={badge} fz="sm" component="div">
              <BadgePill badge={badge} /> from {least?.[badge] ?? '…'} points, if the developer has deposited
              a bond of <Credits value={BONDS[badge]} />
            </Text>
          ))}
          <Text fz="sm">
            A critical finding removes the badge, and a high one limits it to Basic. Buyers are refunded from
            the bond after a verified failure.
          </Text>
        </Stack>
      </Collapse>
    </div>
  );
}
