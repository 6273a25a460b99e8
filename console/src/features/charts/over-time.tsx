import { SimpleGrid, Text } from '@mantine/core';
import { formatCredits, formatDay, formatDuration, formatShare, formatWhole } from '../../ui/format';
import { Plot, type PlotProps } from './plot';

interface Day {
  date: string;
  calls: number;
  success_rate: number | null;
  p50_ms: number | null;
  p95_ms: number | null;
}

const ACCENT = '--mantine-color-teal-6';
const SECOND = '--mantine-color-orange-7';

/** A chart with its title, and its values as a table for readers who do not see it. */
function Chart({ title, label = title, ...plot }: PlotProps & { title: string; label?: string }) {
  const { days, lines, format } = plot;
  return (
    <figure className="chart" aria-label={label}>
      <Text component="figcaption" fz="sm" c="dimmed" mb="xs">
        {title}
      </Text>
      <Plot {...plot} />
      <div className="visually-hidden">
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {lines.map((line) => (
                <th key={line.label} scope="col">
                  {line.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={`${day} ${index}`}>
                <th scope="row">{formatDay(day)}</th>
                {lines.map(({ label: name, values }) => {
                  const value = values[index] ?? null;
                  return <td key={name}>{value === null ? 'none' : format(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Success rate and latency by day. */
export function FiguresOverTime({ days: rows }: { days: Day[] }) {
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  const shown = { days: rows.map(({ date }) => date), height: 200 };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Chart
        {...shown}
        title="Success rate by day"
        label={`Success rate by day, of ${formatWhole(calls)} calls`}
        lines={[{ label: 'Succeed', color: ACCENT, values: rows.map((row) => row.success_rate) }]}
        range={[0, 1]}
        format={formatShare}
      />
      <Chart
        {...shown}
        title="Latency by day: median and 95th percentile"
        lines={[
          { label: 'Median', color: ACCENT, values: rows.map((row) => row.p50_ms) },
          { label: '95th percentile', color: SECOND, values: rows.map((row) => row.p95_ms) },
        ]}
        format={formatDuration}
      />
    </SimpleGrid>
  );
}

/** Credits by day, as bars. */
export function CreditsByDay({ days, label }: { days: { day: string; credits: number }[]; label: string }) {
  return (
    <Chart
      title={label}
      days={days.map(({ day }) => day)}
      lines={[{ label: 'Credits', color: ACCENT, values: days.map(({ credits }) => credits) }]}
      format={formatCredits}
      height={180}
      bars
    />
  );
}
