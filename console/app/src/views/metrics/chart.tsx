import { useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { marksBetween, type TimeMark } from '../../parts/time-marks.js';
import { useTimeMarks } from '../../parts/use-time-marks.js';
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
  /** A point was clicked: its time, seconds since the epoch, and the index of the line that is next to it. */
  readonly onPoint?: (time: number, line: number) => void;
}

/** Lines over time, with marks where the application changed. What it shows is there as a table, too. */
export default function Chart({ data, unit, label, onPoint }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const picked = useRef(onPoint);
  picked.current = onPoint;
  const marks = marksBetween(useTimeMarks(), (data.times[0] ?? 0) * 1000, (data.times.at(-1) ?? 0) * 1000);
  const drawn = JSON.stringify(marks.map(({ at, text }) => ({ at, text })));
  const theme = useSyncExternalStore((listener) => taste.onChange(listener), () => `${taste.theme} ${taste.zone}`);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const plot = new uPlot(optionsOf(data, unit, { width: parent.clientWidth, marks: JSON.parse(drawn) as readonly TimeMark[] }), [[...data.times], ...data.lines.map(({ values }) => [...values])], parent);
    const watch = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    watch.observe(parent);
    plot.over.addEventListener('click', (event) => {
      const [time, line] = clicked(plot, data, event) ?? [];
      if (time !== undefined && line !== undefined) picked.current?.(time, line);
    });
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [data, unit, theme, drawn]);
  return <div ref={place} className={css.chart} role="img" aria-label={[`${label}: ${data.lines.length} lines, ${data.times.length} points`, ...marks.map(({ text }) => text)].join('; ')} />;
}

/** The point that was clicked; of several lines the one that is nearest in height. Not the cursor's: a chart that was drawn anew under a still pointer has none. */
function clicked(plot: uPlot, { times, lines }: ChartData, { clientX, clientY }: MouseEvent): readonly [time: number, line: number] | undefined {
  if (times.length === 0) return undefined;
  const { left, top } = plot.over.getBoundingClientRect();
  const idx = plot.posToIdx(clientX - left);
  const away = lines.map(({ values }) => (values[idx] === null || values[idx] === undefined ? Infinity : Math.abs(plot.valToPos(values[idx], 'y') - (clientY - top))));
  return [times[idx] ?? 0, away.indexOf(Math.min(...away))];
}

/** A line over the plot for each that lies in the stretch of time that is shown; its hover says what it is. */
function drawMarks(plot: uPlot, marks: readonly TimeMark[]): void {
  plot.over.querySelectorAll(`.${css.mark}`).forEach((line) => line.remove());
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  for (const { at, text, part } of marksBetween(marks, min * 1000, max * 1000)) {
    const line = document.createElement('div');
    [line.className, line.title] = [css.mark ?? '', `${text}, ${new Date(at).toISOString()}`];
    line.style.left = `${part * 100}%`;
    plot.over.append(line);
  }
}

function optionsOf(data: ChartData, unit: string, { width, marks }: { readonly width: number; readonly marks: readonly TimeMark[] }): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: colour('--text-3'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 } };
  return {
    width, height: HEIGHT, hooks: { draw: [(plot) => drawMarks(plot, marks)] }, legend: { show: data.lines.length > 1 }, cursor: { points: { size: 6 } }, ...taste.zone === 'utc' && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') },
    axes: [axis, { ...axis, size: AXIS_WIDTH, values: (_plot, values) => values.map((value) => shownValue(value, unit)) }],
    series: [{}, ...data.lines.map(({ name }, at) => ({ label: name, stroke: colour(COLOURS[at % COLOURS.length] ?? '--accent'), width: 1.5, spanGaps: false, value: (_plot: uPlot, value: number | null) => (value === null ? '–' : shownValue(value, unit)) }))],
  };
}
