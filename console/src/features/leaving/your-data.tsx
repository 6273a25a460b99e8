import { Stack } from '@mantine/core';
import { NotPermitted, useMay, useOwnerWords } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Deletion } from './deletion';
import { Exports } from './exports';

/** What takes the data of the account away, and what deletes the account (docs/leaving.md). */
export function YourData() {
  const { of } = useOwnerWords();
  const mayExport = useMay('own');
  return (
    <Section title="Your data">
      <Stack gap="lg">
        {mayExport ? <Exports of={of} /> : <NotPermitted needs="own" />}
        <Deletion />
      </Stack>
    </Section>
  );
}
