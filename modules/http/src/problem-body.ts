import type { Problem } from './problem.js';

/** JSON of a problem. `detail` is shown only when asked for: never to strangers. */
export function problemBody(problem: Problem, traceId: string, showDetail: boolean): string {
  const { error, code, issues, hint, routes, detail } = problem;
  return JSON.stringify({ error, code, traceId, ...(issues && { issues }), ...(hint !== undefined && { hint }), ...(routes && { routes }), ...(showDetail && detail !== undefined && { message: detail }) });
}
