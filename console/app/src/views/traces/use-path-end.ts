import { useMemo } from 'react';
import type { CriticalPath, SpanRow, TraceView } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import type { Answered } from '../../parts/data-state.js';
import { useCommands } from '../../keys/commands.js';
import { useParam } from '../../url/location.js';
import { useCapture } from './capture.js';
import { replyOf } from './timeline.js';

interface PathEnd {
  readonly path: CriticalPath;
  /** Of the trace, with what is on that path. */
  readonly rows: readonly SpanRow[];
  readonly isReply: boolean;
  /** The path until the reply, where it is asked for. */
  readonly asked: Answered<CriticalPath>;
  /** Absent where the trace was through with its reply, or has none. */
  readonly toggle?: () => void;
}

/** The critical path until the last effect, or until the reply where the address says `until=reply`. A capture has the former alone. */
export function usePathEnd({ traceId, rows, path }: TraceView): PathEnd {
  const [until, setUntil] = useParam('until');
  const captured = useCapture() !== undefined;
  const replyMs = replyOf(rows);
  const mayEnd = !captured && replyMs !== undefined && replyMs < path.durationMs;
  const wanted = mayEnd && until === 'reply';
  const asked = useApi('GET /traces/{id}/path', { id: traceId, until: 'reply' }, { enabled: wanted });
  const { data } = asked;
  const toggle = (): void => setUntil(until === 'reply' ? null : 'reply', { replace: true });
  useCommands(mayEnd ? [{ title: 'Critical path until the reply, or the last effect', keys: ['u'], run: toggle }] : []);
  const shown = useMemo(() => {
    if (!wanted || !data) return { path, rows, isReply: false };
    const critical = new Set(data.segments.map(({ spanId }) => spanId));
    return { path: data, rows: rows.map((row) => ({ ...row, critical: critical.has(row.spanId) })), isReply: true };
  }, [wanted, data, path, rows]);
  return { ...shown, asked, ...mayEnd && { toggle } };
}
