import { Badge, Card, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { list, type ItemOf } from '../../client/queries';
import { Json } from '../../ui/code-block';
import { ListView } from '../../ui/data-table';
import { Section } from '../../ui/page';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';

type Piece = ItemOf<'/v1/invocations/{invocation_id}/pieces'>;

/** What the agent of a job has delivered before its end, in its order. It is read again when there are more. */
export function JobPieces({ callId, count }: { callId: string; count: number }) {
  const query = useInfiniteQuery(
    list('/v1/invocations/{invocation_id}/pieces', { path: { invocation_id: callId }, query: { limit: 20 } }),
  );
  const { refetch } = query;
  const shown = useRef(count);
  useEffect(() => {
    if (shown.current !== count) void refetch();
    shown.current = count;
  }, [count, refetch]);
  return (
    <Section title="Pieces" note="Delivered before the end of the job. The output has the answer as a whole.">
      <ListView<Piece> query={query} empty="No pieces">
        {(pieces) => pieces.map((piece) => <OnePiece key={piece.number} piece={piece} />)}
      </ListView>
    </Section>
  );
}

function OnePiece({ piece: { number, milestone, piece, at } }: { piece: Piece }) {
  return (
    <Card.Section inheritPadding p="md" withBorder>
      <Group gap="xs" mb={4}>
        <Text fw={600} fz="sm">
          Piece {number}
        </Text>
        {milestone !== null && (
          <Badge variant="light" tt="none">
            <Written>{milestone}</Written>
          </Badge>
        )}
        <Text fz="xs" c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      {piece === null ? (
        <Text c="dimmed" fz="sm">
          It is no longer stored.
        </Text>
      ) : (
        <Json value={piece} label={`piece ${number}`} />
      )}
    </Card.Section>
  );
}
