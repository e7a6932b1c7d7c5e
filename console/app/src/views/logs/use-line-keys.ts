import type { LogRecord } from '../../api/types.generated.js';
import { useCommands } from '../../keys/commands.js';
import { withCondition } from '../../parts/with-condition.js';
import { navigate, useParam } from '../../url/location.js';
import { paths } from '../../url/paths.js';

/** The query without lines that say the same. */
export function hidden(q: string, { message }: LogRecord): string {
  return withCondition(q, 'message', message, true);
}

/** Whether a line belongs to a trace. */
export function hasTrace({ traceId }: LogRecord): boolean {
  return !/^0*$/.test(traceId);
}

/** Keys of the line that is open. A field, or a value of one, has the focus when a button at it has. */
export function useLineKeys(line: LogRecord | undefined, q: string, onQuery: (q: string) => void): void {
  const [around, setAround] = useParam('around');
  const filter = (of: LogRecord): void => {
    const value = document.activeElement?.closest('[data-value]');
    if (value) (value instanceof HTMLButtonElement ? value : value.querySelector('button'))?.click();
    else if (of.stepName !== '') onQuery(withCondition(q, 'step', of.stepName));
  };
  useCommands(line === undefined ? [] : [
    ...hasTrace(line) ? [{ title: 'Trace of the line', keys: ['t'], run: () => navigate(paths.trace(line.traceId, line.spanId)) }] : [],
    { title: 'Filter for the value that has the focus, or for the Step', keys: ['f'], run: () => filter(line) },
    { title: 'Hide lines like this one', keys: ['h'], run: () => onQuery(hidden(q, line)) },
    { title: 'Lines around it', keys: ['c'], run: () => setAround(around === '' ? 'all' : null) },
  ]);
}
