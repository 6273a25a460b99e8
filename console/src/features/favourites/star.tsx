import { ActionIcon, Tooltip } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { send } from '../../client/http';
import { everything } from '../../client/queries';
import { sessionQuery } from '../../client/session';

/** The agents that the account has marked; none for a visitor. */
export function useFavourites() {
  const isAccount = Boolean(useQuery(sessionQuery).data);
  return useQuery({ ...everything('/v1/favourites', { query: { limit: 100 } }), enabled: isAccount });
}

/** Marks an agent as a favourite, or takes the mark away. Visitors have none, so they see no star. */
export function Star({ agentId }: { agentId: string }) {
  const queries = useQueryClient();
  const { data } = useFavourites();
  const isMarked = data?.items.some((one) => one.agent_id === agentId) ?? false;
  const mutation = useMutation({
    mutationFn: () =>
      send(isMarked ? 'delete' : 'put', '/v1/favourites/{agent_id}', { path: { agent_id: agentId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['/v1/favourites'] }),
  });
  if (!data) return null;
  const label = isMarked ? 'Remove from favourites' : 'Add to favourites';
  return (
    <Tooltip label={mutation.isError ? mutation.error.message : label} withArrow>
      <ActionIcon
        variant="subtle"
        color={isMarked ? 'yellow.7' : 'gray'}
        size="lg"
        aria-label={label}
        loading={mutation.isPending}
        onClick={() => mutation.mutate()}
      >
        {isMarked ? <IconStarFilled size={20} aria-hidden /> : <IconStar size={20} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
