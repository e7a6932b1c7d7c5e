import type { ViewFormat } from '../../api/types.generated.js';
import { isNumber } from '../../api/json.js';
import { duration } from '../../format/duration.js';
import { bytes, count } from '../../format/numbers.js';
import { Badge } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { preview } from '../../parts/json-tree.js';
import { StepRef, TopicRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';

const ID_DIGITS = 8;
const TONES: readonly (readonly [RegExp, Tone])[] = [
  [/^(ok|done|sent|success|succeeded|active|ready|up|true)$/i, 'ok'], [/^(fail|failed|error|dead|down|refused|rejected)$/i, 'bad'],
  [/^(waiting|retrying|pending|degraded|paused|late)$/i, 'warn'], [/^(running|open|new)$/i, 'info'],
];

/** A value of a plugin's answer. What does not fit its format is shown as it is. `links`: not in rows, which are one thing to choose each. */
export function Cell({ value, as, links = false }: { readonly value: unknown; readonly as: ViewFormat | undefined; readonly links?: boolean }) {
  if (value === undefined || value === null) return null;
  const shown = typeof value === 'number' ? numberCell(value, as) : typeof value === 'string' ? (links ? linkCell(value, as) : undefined) ?? textCell(value, as) : undefined;
  return shown ?? <span className={isNumber(value) ? 'num' : 'mono'}>{preview(value)}</span>;
}

function numberCell(value: number, as: ViewFormat | undefined) {
  if (as === 'number' && Number.isInteger(value)) return <span className="num">{count(value)}</span>;
  if (as === 'bytes') return <span className="num">{bytes(value)}</span>;
  if (as === 'duration') return <span className="num">{duration(value)}</span>;
  return as === 'time' ? <Time at={value} /> : undefined;
}

function linkCell(value: string, as: ViewFormat | undefined) {
  if (as === 'trace') return <TraceRef id={value} />;
  if (as === 'step') return <StepRef step={value} />;
  return as === 'topic' ? <TopicRef topic={value} /> : undefined;
}

function textCell(value: string, as: ViewFormat | undefined) {
  if (as === 'time') return <Time at={value} />;
  if (as === 'trace') return <span className="mono">{value.slice(0, ID_DIGITS)}</span>;
  if (as === 'status') return <Badge tone={TONES.find(([words]) => words.test(value))?.[1] ?? 'plain'}>{value}</Badge>;
  return <span>{value}</span>;
}
