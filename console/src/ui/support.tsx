import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';

/** What the marketplace costs and allows, which does not change while the console is open. */
export const marketplaceQuery = { ...get('/v1/marketplace'), staleTime: Infinity };

/** Whom to write to, as a sentence. */
export function Support() {
  const contact = useQuery(marketplaceQuery).data?.support_contact;
  if (!contact) return <>Ask the operator of this marketplace.</>;
  const href = contact.includes('://') ? contact : `mailto:${contact}`;
  return (
    <>
      Write to{' '}
      <Anchor href={href} inherit underline="always">
        {contact}
      </Anchor>
      .
    </>
  );
}
