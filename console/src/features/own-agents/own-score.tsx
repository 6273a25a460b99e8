import { Card, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import type { Answer } from '../../client/http';
import { formatPoints } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { BadgePill, Score } from '../../ui/trust';
import { STAGE_NAMES } from '../trust/trust-report';

type OwnScore = Answer<'/v1/developer/agents/{agent_id}/score', 'get'>;

/** The score and the badge of an own agent, what each badge needs, and what would raise the score. */
export function OwnScore({ id }: { id: string }) {
  const query = useQuery(get('/v1/developer/agents/{agent_id}/score', { path: { agent_id: id } }));
  return (
    <Section
      title="Score and badge"
      note="A badge needs its score, a bond, and no critical finding. A high finding limits it to Basic."
    >
      <QueryView query={query}>
        {(own) => (
          <Card withBorder>
            <Group gap="md" mb="md">
              <Score value={own.score} size={72} />
              <BadgePill badge={own.badge} />
              <Text fz="sm" className="grow">
                <Why own={own} />
              </Text>
            </Group>
            <Scale own={own} />
            <Steps own={own} />
          </Card>
        )}
      </QueryView>
    </Section>
  );
}

function Why({ own: { score, badge, earned_badge: earned } }: { own: OwnScore }) {
  if (score === null) return <>The first verification has not ended yet.</>;
  if (earned === badge) return <>{score} of 100 points.</>;
  return (
    <>
      {score} of 100 points and the findings allow {earned ?? 'no badge'}; your bond allows {badge ?? 'none'}.{' '}
      <AppLink to="/developer/bond" underline="always">
        Deposit a bond
      </AppLink>
    </>
  );
}

function Scale({ own: { scale } }: { own: OwnScore }) {
  return (
    <Stack gap={4} role="list" aria-label="What each badge needs" mb="md">
      {scale.map((step) => (
        <Group key={step.badge} gap="sm" role="listitem">
          <BadgePill badge={step.badge} />
          <Text fz="sm" c="dimmed" component="div">
            from {step.least_score} points, with a bond of <Credits value={step.least_bond_credits} />
            {step.missing_score > 0 && `; ${formatPoints(step.missing_score)} points are missing`}
            {step.missing_bond_credits > 0 && (
              <>
                ; <Credits value={step.missing_bond_credits} /> of bond are missing
              </>
            )}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function Steps({ own: { steps, score } }: { own: OwnScore }) {
  if (score === null) return null;
  if (steps.length === 0) return <Text fz="sm">Every point is reached.</Text>;
  return (
    <>
      <Text fw={600} fz="sm" mb={4}>
        What would raise the score
      </Text>
      <Stack gap="xs" role="list" aria-label="What would raise the score">
        {steps.map(({ kind, stage, points, what, remedy, finding_id: finding }, at) => (
          <div key={finding ?? at} role="listitem">
            <Text fz="sm" className="anywhere">
              <b className="figures">{points > 0 ? `+${formatPoints(points)}` : 'Badge'}</b>{' '}
              {stage && `${STAGE_NAMES[stage]}: `}
              {what}
            </Text>
            <Text fz="sm" c="dimmed" className="anywhere">
              {remedy}{' '}
              {kind === 'finding' && finding && (
                <AppLink to="." hash={finding} underline="always">
                  Show the finding
                </AppLink>
              )}
            </Text>
          </div>
        ))}
      </Stack>
    </>
  );
}
