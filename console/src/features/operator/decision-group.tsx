import { Button, Card, Checkbox, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Ask } from '../../ui/ask';
import { formatMinor, formatWhole } from '../../ui/format';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { DecisionCard, type Decision } from './decision';
import { doEach, sumOf } from './group-alike';

const AT_ONCE = 100;

/** Several decisions that are alike, as one: with one reason for all that are chosen, or each by itself. */
export function DecisionGroup({ decisions }: { decisions: readonly Decision[] }) {
  const [opened, { toggle }] = useDisclosure();
  const [left, setLeft] = useState<readonly string[]>([]);
  const [first] = decisions;
  if (!first) return null;
  const chosen = decisions.filter(({ id }) => !left.includes(id));
  const choose = (id: string, isIn: boolean) =>
    setLeft(isIn ? left.filter((one) => one !== id) : [...left, id]);
  const sum = sumOf(chosen);
  const inAll = sum ? `: ${formatMinor(sum.minor, sum.currency)}` : '';
  const many = `${formatWhole(decisions.length)} alike`;
  return (
    <Card withBorder padding="md" component="article" aria-label={`${first.kind}: ${many}`}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="grow">
          <Group gap="xs">
            <Status value="waiting" label={first.kind} />
            <Text fw={600}>{many}</Text>
          </Group>
          <Text fz="sm" c="dimmed" component="div">
            {first.evidence[0]?.[0]}: {first.evidence[0]?.[1]} · the oldest began{' '}
            <Time at={first.since} ago />
          </Text>
        </div>
        <Group gap={6}>
          {first.actions
            .filter(({ single }) => single !== true)
            .map(({ action, question, danger }) => (
              <Ask
                key={action}
                action={`${action} ${formatWhole(chosen.length)}`}
                confirm={`${action} ${formatWhole(chosen.length)}${inAll}`}
                question={`For each of the ${formatWhole(chosen.length)}: ${question}`}
                reason="Reason, the same for all"
                done={`${formatWhole(chosen.length)} are decided.`}
                disabled={chosen.length === 0}
                {...(danger === undefined ? {} : { danger })}
                run={(reason) =>
                  doEach(chosen, async (one) =>
                    one.actions.find((each) => each.action === action)?.run(reason),
                  )
                }
              />
            ))}
        </Group>
      </Group>
      <Button variant="subtle" size="compact-xs" mt={6} onClick={toggle} aria-expanded={opened}>
        {opened ? 'Hide them' : 'Show them, or choose some'}
      </Button>
      <Collapse in={opened} mt="xs">
        {opened && (
          <Stack gap="xs">
            {decisions.slice(0, AT_ONCE).map((one) => (
              <Group key={one.id} gap="sm" align="flex-start" wrap="nowrap">
                <Checkbox
                  mt="md"
                  checked={!left.includes(one.id)}
                  onChange={(event) => choose(one.id, event.currentTarget.checked)}
                  aria-label={`Choose ${one.id}`}
                />
                <div className="grow">
                  <DecisionCard decision={one} />
                </div>
              </Group>
            ))}
          </Stack>
        )}
      </Collapse>
    </Card>
  );
}
