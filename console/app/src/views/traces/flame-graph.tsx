import { type CSSProperties, useMemo, useState } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { Button, classes } from '../../parts/controls.js';
import css from './flame-graph.module.css';
import { type FlameBox, flameOf } from './flame.js';

/** Narrower boxes are not drawn: they could not be seen. */
const LEAST = 0.001;
/** From this share of the width on there is room for words. */
const ROOM = 0.03;

interface Props {
  readonly rows: readonly SpanRow[];
  readonly selected: string;
  readonly onSelect: (spanId: string) => void;
}

/** Where the time of a trace went: spans of one name are one box. A second click, or Enter, widens a box to the whole width. */
export function FlameGraph({ rows, selected, onSelect }: Props) {
  const boxes = useMemo(() => flameOf(rows), [rows]);
  const [wide, setWide] = useState('');
  const frame = boxes.find(({ key }) => key === wide);
  const { left, width } = frame ?? { left: 0, width: 1 };
  const shown = boxes.filter((box) => box.width / width >= LEAST && box.left < left + width - 1e-9 && box.left + box.width > left + 1e-9);
  const at = shown.findIndex(({ spanId }) => spanId === selected);
  const go = (to: number): void => void (shown[to] && onSelect(shown[to].spanId));
  useCommands([
    { title: 'Next box', keys: ['j', 'ArrowDown'], quiet: true, run: () => go(Math.min(shown.length - 1, at + 1)) }, { title: 'Previous box', keys: ['k', 'ArrowUp'], quiet: true, run: () => go(Math.max(0, at - 1)) },
    { title: 'Widen the box', keys: ['Enter'], run: () => setWide(shown[at]?.key ?? '') },
  ]);
  const rowsHigh = Math.max(1, ...shown.map(({ depth }) => depth + 1));
  return (
    <div className={css.frame} tabIndex={0} role="region" aria-label="Flame graph">
      <p className="row wrap muted">Spans of one name below the same names, added up; as wide as they took together.{frame && <Button onClick={() => setWide('')}>The whole trace</Button>}</p>
      <ul className={css.boxes} style={{ '--rows': rowsHigh } as CSSProperties}>
        {shown.map((box) => <Box key={box.key} box={box} from={Math.max(left, box.left)} of={{ left, width }} selected={box.spanId === selected} onPick={() => (box.spanId === selected ? setWide(box.key) : onSelect(box.spanId))} />)}
      </ul>
    </div>
  );
}

interface BoxProps {
  readonly box: FlameBox;
  readonly from: number;
  readonly of: { readonly left: number; readonly width: number };
  readonly selected: boolean;
  readonly onPick: () => void;
}

function Box({ box: { name, depth, left, width, spans, errors, totalMs, selfMs }, from, of, selected, onPick }: BoxProps) {
  const to = Math.min(of.left + of.width, left + width);
  const share = (to - from) / of.width;
  // What is read aloud begins with what is seen.
  const seen = [name, duration(totalMs), spans > 1 && `${spans}×`, errors > 0 && `${errors} failed`].filter(Boolean).join(' ');
  const words = `${seen}, ${plural(spans, 'span')}, ${duration(selfMs)} itself`;
  const place = { left: `${((from - of.left) / of.width) * 100}%`, width: `${share * 100}%`, '--depth': depth } as CSSProperties;
  return (
    <li className={css.place} style={place}>
      <button type="button" tabIndex={-1} className={classes(css.box, errors > 0 && css.failed)} data-depth={depth % 4} aria-pressed={selected} aria-label={words} title={words} onClick={onPick}>
        {share >= ROOM && seen}
      </button>
    </li>
  );
}
