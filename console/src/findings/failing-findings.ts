import type { Activity, ErrorKind, Finding } from '../contract/index.js';
import { placeOf, type Steps } from './step-place.js';

/** Kinds of errors of a Step that have a line of their own. */
const MOST_LINES = 5;

/** Steps whose latest runs fail, a line for each kind of error, and what is over since a run succeeded. A Step that is no longer there fails no more. */
export function failingFindings({ items }: Activity, steps: Steps): readonly Finding[] {
  return items.filter(({ step }) => steps.has(step)).flatMap(({ step, errors }) => {
    const [now, was] = [errors.filter((kind) => kind.now), errors.filter((kind) => !kind.now)];
    return [...now, ...was].slice(0, MOST_LINES).map((kind) => failing(step, kind, steps)).concat(furtherKinds(step, now.length - MOST_LINES, steps));
  });
}

function failing(step: string, { trigger, type, message, count, firstAt, lastAt, traceId, spanId, now }: ErrorKind, steps: Steps): Finding {
  const text = message === '' ? type : `${type}: ${message}`;
  return {
    id: `failing_step:${step}:${trigger}:${text}`, severity: now ? 'error' : 'info', code: 'failing_step',
    message: `${step} ${now ? 'fails' : 'failed'}: ${text}`, remedy: now ? 'mend what the error names; a run that succeeds takes this line away' : 'a run that was started in the same way has succeeded since',
    about: { step }, path: `/traces/${traceId}?span=${spanId}`, count, firstAt, lastAt, ...!now && { was: true }, ...placeOf(steps, step),
  };
}

function furtherKinds(step: string, further: number, steps: Steps): readonly Finding[] {
  if (further <= 0) return [];
  return [{
    id: `failing_step:${step}`, severity: 'error', code: 'failing_step', message: `${step} fails in ${further} further ways`, remedy: 'look at its failed runs by their errors', about: { step },
    path: `/traces?by=error&q=${encodeURIComponent(`step:"${step}" status:error`)}`, ...placeOf(steps, step),
  }];
}
