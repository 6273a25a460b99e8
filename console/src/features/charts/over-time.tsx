import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid, Text } from '@mantine/core';
import { formatCredits, formatDay, formatDuration, formatShare, formatWhole } from '../../ui/format';

interface Day {
  date: string;
  calls: number;
  success_rate: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
}

const common = {
  h: 200,
  dataKey: 'date',
  xAxisProps: { tickFormatter: formatDay },
  curveType: 'linear',
  dotProps: { r: 2.5 },
  connectNulls: true,
} as const;

/** Success rate and latency by day. */
export function FiguresOverTime({ days }: { days: Day[] }) {
  const calls = days.reduce((sum, day) => sum + day.calls, 0);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <figure className="chart" aria-label={`Success rate by day, of ${formatWhole(calls)} calls`}>
        <Text component="figcaption" fz="sm" c="dimmed" mb="xs">
          Success rate by day
        </Text>
        <LineChart
          {...common}
          data={days}
          series={[{ name: 'success_rate', label: 'Succeed', color: 'teal.7' }]}
          yAxisProps={{ domain: [0, 1], width: 52 }}
          valueFormatter={formatShare}
        />
      </figure>
      <figure className="chart" aria-label="Latency by day: median and 95th percentile">
        <Text component="figcaption" fz="sm" c="dimmed" mb="xs">
          Latency by day: median and 95th percentile
        </Text>
        <LineChart
          {...common}
          data={days}
          series={[
            { name: 'p50_ms', label: 'Median', color: 'teal.7' },
            { name: 'p95_ms', label: '95th percentile', color: 'orange.7' },
          ]}
          yAxisProps={{ width: 64 }}
          withLegend
          valueFormatter={formatDuration}
        />
      </figure>
    </SimpleGrid>
  );
}

/** Credits by day, as bars. */
export function CreditsByDay({ days, label }: { days: { day: string; credits: number }[]; label: string }) {
  return (
    <figure className="chart" aria-label={label}>
      <Text component="figcaption" fz="sm" c="dimmed" mb="xs">
        {label}
      </Text>
      <BarChart
        h={180}
        data={days}
        dataKey="day"
        xAxisProps={{ tickFormatter: formatDay }}
        series={[{ name: 'credits', label: 'Credits', color: 'teal.7' }]}
        maxBarWidth={36}
        yAxisProps={{ width: 60 }}
        valueFormatter={formatCredits}
      />
    </figure>
  );
}
