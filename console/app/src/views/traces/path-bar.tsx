import type { CriticalPath, PathKind } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { Button, classes, Kbd } from '../../parts/controls.js';
import css from './path-bar.module.css';
import { PATH_WORDS } from './span-kind.js';

const LOOKS: Readonly<Record<PathKind, string | undefined>> = {
  handler: css.handler, 'queue wait': css.wait, 'retry backoff': css.backoff, state: css.state, stream: css.stream, queue: css.queue, network: css.network, idle: css.idle, other: css.other,
};
const ROOM_FOR_WORDS = 0.12;

interface Props {
  readonly path: CriticalPath;
  readonly replyMs: number | undefined;
  /** It ends with the reply. */
  readonly isReply: boolean;
  /** To the other end; absent where there is none. */
  readonly onEnd: (() => void) | undefined;
  readonly onSelect: (spanId: string) => void;
}

/** The causal critical path: what the time until the last effect, or until the reply, went into. */
export function PathBar({ path, replyMs, isReply, onEnd, onSelect }: Props) {
  const kinds = (Object.entries(path.byKind) as [PathKind, number][]).sort(([, a], [, b]) => b - a);
  const [most, ms] = kinds[0] ?? ['other', 0];
  return (
    <div className={css.box}>
      <div className={css.bar} role="group" aria-label="Critical path">
        {joined(path.segments).map(({ kind, durationMs, spanId, startTime }) => {
          const share = durationMs / Math.max(path.durationMs, 0.001);
          return (
            <button key={`${startTime} ${spanId}`} type="button" tabIndex={-1} className={classes(css.part, LOOKS[kind], share < ROOM_FOR_WORDS && css.tiny)} style={{ flex: `${share} 0 0` }} title={`${PATH_WORDS[kind]} ${duration(durationMs)}`} aria-label={`${PATH_WORDS[kind]} ${duration(durationMs)}`} onClick={() => onSelect(spanId)}>
              {share >= ROOM_FOR_WORDS && `${PATH_WORDS[kind]} ${duration(durationMs)}`}
            </button>
          );
        })}
      </div>
      <p className={css.words}>
        Critical path to the {isReply ? 'reply' : 'last effect'}, {duration(path.durationMs)}: <strong>{Math.round((ms / Math.max(path.durationMs, 0.001)) * 100)} % is {PATH_WORDS[most]}</strong>
        {replyMs !== undefined && !isReply && <>; the reply left after {duration(replyMs)}</>}. <span className={css.legend}>{kinds.map(([kind, time]) => <span key={kind}>{PATH_WORDS[kind]} {duration(time)}</span>)}</span>{onEnd && <>{' '}<Button look="plain" on={isReply} onClick={onEnd}>Until the reply <Kbd>u</Kbd></Button></>}
      </p>
    </div>
  );
}

type Segment = CriticalPath['segments'][number];

/** Neighbours of one kind as one part; the span is that of the longest. */
function joined(segments: readonly Segment[]): readonly Segment[] {
  const parts: Segment[] = [];
  let longest = 0;
  for (const segment of segments) {
    const last = parts.at(-1);
    if (last?.kind !== segment.kind) {
      parts.push(segment);
      longest = segment.durationMs;
    } else {
      const own = segment.durationMs > longest;
      parts[parts.length - 1] = { ...own ? segment : last, startTime: last.startTime, durationMs: last.durationMs + segment.durationMs };
      longest = Math.max(longest, segment.durationMs);
    }
  }
  return parts;
}
