import { Text } from '@mantine/core';

interface Bar {
  /** What the bar is about, such as a time. */
  label: string;
  value: number;
  /** The part of the value that failed. */
  bad?: number;
}

const HEIGHT = 96;
const STEP = 8;

/** Bars over time, with their values as a table for readers who do not see them. */
export function Bars({
  title,
  bars,
  format,
}: {
  title: string;
  bars: readonly Bar[];
  format: (value: number) => string;
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const heightOf = (value: number) => (value <= 0 ? 0 : Math.max(2, (value / most) * HEIGHT));
  return (
    <figure className="chart" aria-label={title}>
      <Text component="figcaption" fz="sm" c="dimmed" mb="xs">
        {title}, at most {format(most)}
      </Text>
      <svg
        viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="bars"
        aria-hidden
      >
        {bars.map(({ label, value, bad = 0 }, index) => (
          <g key={label}>
            <title>{`${label}: ${format(value)}`}</title>
            <rect
              className="bar"
              x={index * STEP + 1}
              width={STEP - 2}
              y={HEIGHT - heightOf(value)}
              height={heightOf(value)}
            />
            <rect
              className="bar bad"
              x={index * STEP + 1}
              width={STEP - 2}
              y={HEIGHT - heightOf(bad)}
              height={heightOf(bad)}
            />
          </g>
        ))}
      </svg>
      <div className="visually-hidden">
        <table>
          <tbody>
            {bars.map(({ label, value, bad = 0 }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{format(value)}</td>
                <td>{bad > 0 ? `${format(bad)} failed` : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
