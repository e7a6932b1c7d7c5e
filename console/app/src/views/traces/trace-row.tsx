import { memo } from 'react';
import type { TraceSummary } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { Badge, classes } from '../../parts/controls.js';
import { refAttributes } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { Link } from '../../url/link.js';
import { paths } from '../../url/paths.js';
import css from './trace-list.module.css';

interface Props {
  readonly trace: TraceSummary;
  readonly longest: number;
  readonly current: boolean;
  readonly marked: boolean;
}

export const TraceRow = memo(function TraceRow({ trace, longest, current, marked }: Props) {
  const { traceId, name, steps, durationMs, replyMs, spans, errors, retries, startTime } = trace;
  return (
    <Link to={paths.trace(traceId)} className={css.line} data-current={current} data-row {...refAttributes('trace', traceId)}>
      <span><Badge tone={errors > 0 ? 'bad' : 'ok'}>{errors > 0 ? `${errors} err` : 'ok'}</Badge></span>
      <span className="truncate">{marked && '☑ '}{name}{retries > 0 && <span className="muted"> · {retries === 1 ? '1 retry' : `${retries} retries`}</span>}</span>
      <span className={classes(css.wide, 'truncate muted')}>{steps.join(' → ')}</span>
      <span className={classes(css.wide, 'num')}>{duration(replyMs)}</span>
      <span className="num">{duration(durationMs)}</span>
      <span className={classes(css.wide, 'num muted')}>{spans}</span>
      <span className={classes(css.wide, css.bar)} aria-hidden="true">
        <span className={errors > 0 ? css.failed : undefined} style={{ width: `${(durationMs / longest) * 100}%` }} /><span className={css.reply} style={{ width: `${(replyMs / longest) * 100}%` }} />
      </span>
      <span className={classes(css.wide, 'muted mono')}><Time at={startTime} /></span>
    </Link>
  );
});
