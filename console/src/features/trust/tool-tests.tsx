import { Card, Table, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { Written } from '../../ui/written';

type Report = Answer<'/v1/agents/{agent_id}/trust-report', 'get'>;

/** Which tools of an MCP agent the run has called, and why others were not. */
export function ToolTests({ tests }: { tests: NonNullable<Report['tools']> }) {
  return (
    <Card withBorder padding="md" component="section" aria-label="Tools">
      <Text fw={600} dir="auto">
        {tests.summary}
      </Text>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Tool</Table.Th>
            <Table.Th>Calls</Table.Th>
            <Table.Th>Answered</Table.Th>
            <Table.Th>Not tested because it</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tests.tools.map(({ name, calls, answered, why }, at) => (
            <Table.Tr key={at}>
              <Table.Td className="anywhere">
                <Written>{name}</Written>
              </Table.Td>
              <Table.Td className="figures">{calls}</Table.Td>
              <Table.Td className="figures">{answered}</Table.Td>
              <Table.Td>{why ?? ''}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
