import { useApi } from '../../api/use-api.js';
import { Answer } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { Inspector } from '../../parts/view.js';
import { LogInspector } from './log-inspector.js';

interface Props {
  readonly id: string;
  readonly q: string;
  readonly onQuery: (q: string) => void;
  readonly onClose: () => void;
}

/** The line of the address where the list does not have it: it is asked for by itself. */
export function FarLine({ id, q, onQuery, onClose }: Props) {
  const answer = useApi('GET /logs/context', { id, before: 0, after: 0 });
  const line = answer.data?.items[answer.data.at];
  if (line) return <LogInspector line={line} run={[line]} q={q} onQuery={onQuery} onClose={onClose} far />;
  const missing = answer.error !== null && answer.error.status >= 400 && answer.error.status < 500;
  return <Inspector title={`Line ${id}`} onClose={onClose}>{missing ? <NotThere what="line" name={id} to="/logs" list="All lines">{answer.error.message}</NotThere> : <Answer of={answer} what="the line">{() => null}</Answer>}</Inspector>;
}
