import { Button, Group, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { Id } from '../../ui/id';
import { Credits } from '../../ui/money';
import { QueryView } from '../../ui/query-view';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Detail = Answer<'/v1/operator/x402-payments/{payment_id}', 'get'>;

/** What became of one payment, and what its address has now. */
export function X402Details({ id }: { id: string }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={open}>
        Details
      </Button>
      <Modal opened={opened} onClose={close} title="Payment by x402" size="lg">
        {opened && <Facts id={id} />}
      </Modal>
    </>
  );
}

interface Fact {
  name: string;
  value: ReactNode;
}

function Facts({ id }: { id: string }) {
  const query = useQuery(get('/v1/operator/x402-payments/{payment_id}', { path: { payment_id: id } }));
  return (
    <QueryView query={query}>
      {(one) => (
        <DataTable<Fact>
          label="Facts"
          rows={factsOf(one)}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Fact', cell: ({ name }) => name },
            { title: 'Value', cell: ({ value }) => value },
          ]}
        />
      )}
    </QueryView>
  );
}

function factsOf(one: Detail): Fact[] {
  return [
    { name: 'Payment', value: <Id value={one.payment_id} short={false} /> },
    { name: 'Paying address', value: <Id value={one.payer} short={false} /> },
    { name: 'Network and token', value: <span className="anywhere">{`${one.network} ${one.asset}`}</span> },
    { name: 'Sent to be settled', value: one.sent_at === null ? 'no' : <Time at={one.sent_at} /> },
    { name: 'Can be used until', value: <Time at={one.valid_before} /> },
    { name: 'Call', value: one.call_status === null ? 'none' : <Status value={one.call_status} /> },
    { name: 'Charged', value: <Credits value={one.charged_credits ?? 0} /> },
    { name: 'Credits of the address now', value: <Credits value={one.address_credits} /> },
    ...one.refunds.map((refund) => ({
      name: `Sent back: ${refund.refund_id.slice(-6)}`,
      value: (
        <Group gap="xs">
          <Credits value={refund.credits} />
          <Status value={refund.status} />
        </Group>
      ),
    })),
  ];
}
