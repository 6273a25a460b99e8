import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { formatDay } from '../../ui/format';

export interface Line {
  label: string;
  /** A colour of the theme, by the name of its variable. */
  color: string;
  /** One value for each day; null where there is none. */
  values: readonly (number | null)[];
}

export interface PlotProps {
  /** UTC days, such as `2026-11-02`. */
  days: readonly string[];
  lines: readonly Line[];
  format: (value: number) => string;
  /** The values at the lower and upper end of the axis, if they are fixed. */
  range?: readonly [number, number];
  bars?: boolean;
  height: number;
}

const SIDE_PX = 68;
const BELOW_PX = 28;
const DAYS_BETWEEN_MARKS = [1, 2, 5, 7, 10, 15, 30];

const colorOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A canvas with one value for each day and line. The legend below shows the values of the day that is pointed at. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const { days, lines } = props;
  // Pages read their figures again and again. Equal figures leave the canvas as it is.
  const content = JSON.stringify([days, lines]);
  useEffect(() => {
    const target = place.current;
    if (!target) return undefined;
    const data = [days.map((_day, index) => index), ...lines.map(({ values }) => [...values])];
    const plot = new uPlot(optionsOf(props, target.clientWidth), data as uPlot.AlignedData, target);
    const watch = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: props.height }));
    watch.observe(target);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
    // The functions among the properties are constants of the modules that use this.
  }, [content, scheme]);
  return <div ref={place} className="plot" aria-hidden />;
}

function optionsOf(
  { days, lines, format, range, bars = false, height }: PlotProps,
  width: number,
): uPlot.Options {
  const axis = {
    stroke: colorOf('--mantine-color-dimmed'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
  };
  const day = (index: number) => (Number.isInteger(index) ? formatDay(days[index] ?? '') : '');
  return {
    width,
    height,
    legend: { markers: { width: 0, fill: (_plot, line) => colorOf(lines[line - 1]?.color ?? '') } },
    cursor: { drag: { setScale: false, x: false, y: false }, y: false },
    scales: {
      x: { time: false, range: [-0.5, days.length - 0.5] },
      y: { range: range ? [...range] : (_plot, _least, most) => [0, most * 1.1 || 1] },
    },
    axes: [
      {
        ...axis,
        size: BELOW_PX,
        grid: { show: false },
        incrs: DAYS_BETWEEN_MARKS,
        values: (_plot, marks) => marks.map((mark) => (days[mark] ? day(mark) : '')),
      },
      { ...axis, size: SIDE_PX, values: (_plot, marks) => marks.map(format) },
    ],
    series: [
      { label: 'Day', value: (_plot, index) => (index === null ? '' : day(index)) },
      ...lines.map(({ label, color }) => ({
        label,
        stroke: colorOf(color),
        width: bars ? 0 : 2,
        spanGaps: true,
        value: (_plot: uPlot, value: number | null) => (value === null ? '' : format(value)),
        ...(bars
          ? { fill: colorOf(color), paths: uPlot.paths.bars?.({ size: [0.7, 36] }), points: { show: false } }
          : { points: { show: true, size: 6, fill: colorOf(color) } }),
      })),
    ],
  };
}
