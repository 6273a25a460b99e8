import { Group, Select } from '@mantine/core';
import { CallsTable } from '../features/operator/calls-table';
import { AccountsTable, AgentsTable, DisputesTable } from '../features/operator/everything';
import { SlashesTable } from '../features/operator/slashes-table';
import { formatCode } from '../ui/format';
import { Page } from '../ui/page';
import { useChangeSearch, useSearchValue } from '../ui/params';

/** A choice that the address of the page holds. */
function Choice({ name, label, values }: { name: string; label: string; values: readonly string[] }) {
  const change = useChangeSearch();
  return (
    <Select
      label={label}
      size="xs"
      w={180}
      clearable
      placeholder="All"
      value={useSearchValue(name) ?? null}
      onChange={(value) => change({ [name]: value })}
      data={values.map((value) => ({ value, label: formatCode(value) }))}
    />
  );
}

function useChoice<T extends string>(name: string, values: readonly T[]): Partial<Record<string, T>> {
  const value = useSearchValue(name);
  const known = values.find((one) => one === value);
  return known === undefined ? {} : { [name]: known };
}

const ROLES = ['buyer', 'developer', 'operator'] as const;
const AGENT_STATES = ['active', 'suspended', 'retired'] as const;
const CALL_STATES = ['pending', 'running', 'succeeded', 'failed', 'disputed'] as const;
const DISPUTE_STATES = ['open', 'contested', 'accepted', 'won', 'lost'] as const;
const SLASH_STATES = ['applied', 'contested', 'final', 'overturned'] as const;

export function OperatorAccountsPage() {
  const role = useChoice('role', ROLES);
  const frozen = useChoice('frozen', ['true'] as const);
  return (
    <Page title="Accounts" subtitle="All accounts, the newest first.">
      <Group>
        <Choice name="role" label="Role" values={ROLES} />
        <Choice name="frozen" label="Only frozen wallets" values={['true']} />
      </Group>
      <AccountsTable query={{ ...role, ...frozen }} />
    </Page>
  );
}

export function OperatorAgentsPage() {
  const status = useChoice('status', AGENT_STATES);
  return (
    <Page title="Agents of all developers" subtitle="In any state, by their ids.">
      <Choice name="status" label="State" values={AGENT_STATES} />
      <AgentsTable query={status} />
    </Page>
  );
}

export function OperatorCallsPage() {
  const status = useChoice('status', CALL_STATES);
  return (
    <Page title="Calls of all accounts" subtitle="The newest first, without their inputs and outputs.">
      <Choice name="status" label="State" values={CALL_STATES} />
      <CallsTable query={status} />
    </Page>
  );
}

export function OperatorDisputesPage() {
  const status = useChoice('status', DISPUTE_STATES);
  return (
    <Page title="Disputes of all accounts" subtitle="In any state, the newest first.">
      <Choice name="status" label="State" values={DISPUTE_STATES} />
      <DisputesTable query={{ status: 'all', ...status }} />
    </Page>
  );
}

export function OperatorSlashesPage() {
  const status = useChoice('status', SLASH_STATES);
  return (
    <Page
      title="Slashes"
      subtitle="Of the bonds of all developers, the newest first. A slash is started on the page of its agent."
    >
      <Choice name="status" label="State" values={SLASH_STATES} />
      <SlashesTable query={{ status: 'all', ...status }} />
    </Page>
  );
}
