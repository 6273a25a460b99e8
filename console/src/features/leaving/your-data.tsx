import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { organisationName } from '../../client/owner';
import { sessionQuery } from '../../client/session';
import { NotPermitted, useMay, useOwnerWords } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Deletion } from './deletion';
import { Exports } from './exports';

/**
 * What takes the data of the owner of the page away, and what deletes its account (docs/leaving.md): of the person, or
 * of the organisation for which an owner acts.
 */
export function YourData() {
  const { of } = useOwnerWords();
  const organisation = organisationName(useQuery(sessionQuery).data);
  const may = useMay('own');
  return (
    <Section title={organisation === undefined ? 'Your data' : `Data${of}`}>
      {may ? (
        <Stack gap="lg">
          <Exports of={of} />
          <Deletion key={organisation} organisation={organisation} />
        </Stack>
      ) : (
        <NotPermitted needs="own" />
      )}
    </Section>
  );
}
