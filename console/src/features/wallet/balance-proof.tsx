import { Anchor, Group } from '@mantine/core';
import { Section } from '../../ui/page';

/** The proof that the balances are part of what the marketplace says it owes. */
export function BalanceProof() {
  return (
    <Section
      title="Proof of your balances"
      note="At the end of each day (UTC) the marketplace publishes what it owes, signed. Your proof shows that your balances of the last published day are part of it. Only you can get it."
    >
      <Group>
        <Anchor href="/v1/billing/proof" download="balance-proof.json" fz="sm">
          Your proof (JSON)
        </Anchor>
        <Anchor href="/.well-known/market-log" fz="sm">
          What is owed, by day
        </Anchor>
      </Group>
    </Section>
  );
}
