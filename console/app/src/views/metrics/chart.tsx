import { useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { taste } from '../../theme/taste.js';
import type { ChartData } from './chart-data.js';
import { shownValue } from './chart-data.js';
import css from './chart.module.css';

const HEIGHT = 190;
const COLOURS = ['--accent', '--violet', '--ok', '--warn', '--teal', '--bad', '--text-2', '--line-strong'];
const AXIS_WIDTH = 74;

interface Props {
  readonly data: ChartData;
  readonly unit: string;
  readonly label: string;
}

/** Lines over time. What it shows is there as a table, too. */
export default function Chart({ data, unit, label }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore((listener) => taste.onChange(listener), () => `${taste.theme} ${taste.zone}`);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const plot = new uPlot(optionsOf(data, unit, parent.clientWidth), [[...data.times], ...data.lines.map(({ values }) => [...values])], parent);
    const watch = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    watch.observe(parent);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [data, unit, theme]);
  return <div ref={place} className={css.chart} role="img" aria-label={`${label}: ${data.lines.length} lines, ${data.times.length} points`} />;
}

function optionsOf(data: ChartData, unit: string, width: number): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: colour('--text-3'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 } };
  return {
    width, height: HEIGHT, legend: { show: data.lines.length > 1 }, cursor: { points: { size: 6 } }, ...taste.zone === 'utc' && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') },
    axes: [axis, { ...axis, size: AXIS_WIDTH, values: (_plot, values) => values.map((value) => shownValue(value, unit)) }],
    series: [{}, ...data.lines.map(({ name }, at) => ({ label: name, stroke: colour(COLOURS[at % COLOURS.length] ?? '--accent'), width: 1.5, spanGaps: false, value: (_plot: uPlot, value: number | null) => (value === null ? '–' : shownValue(value, unit)) }))],
  };
}
