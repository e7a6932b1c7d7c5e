import { AdminStream, wallTime } from '@treadle/api';
import { moduleText } from '../api/ask-module.js';
import type { OwnRequest } from '../api/own-route.js';
import type { Surroundings } from '../api/surroundings.js';
import type { TraceView } from '../contract/index.js';
import { flowGraph } from '../flows/flow-graph.js';
import { Refusal } from '../server/refusal.js';
import { capturedInputs } from './captured-inputs.js';
import { capturedSteps } from './captured-steps.js';
import { passedFlow } from './passed-flow.js';

/** The most that the routes give at a time. */
const MOST_SPANS = '20000';
const MOST_LOGS = '5000';
const SHORT_ID = 8;

/** `GET /traces/:id/capture`: a `TraceCapture`. What modules answer is put together as text, so that no digit changes. @throws {Refusal} 404 */
export async function traceCapture(surroundings: Surroundings, { params, caller }: OwnRequest): Promise<AdminStream> {
  const { catalog, clock, engine: { application, version, mode } } = surroundings;
  const trace = await moduleText(catalog, { block: 'observability', path: '/traces/:id', params: { id: params['id'] ?? '' }, query: { limit: MOST_SPANS } });
  if (trace === undefined) throw new Refusal(404, 'module_not_loaded', 'no module of this engine records traces');
  const { traceId, rows } = JSON.parse(trace) as TraceView;
  const logs = await moduleText(catalog, { block: 'observability', path: '/logs', query: { traceId, limit: MOST_LOGS, order: 'asc' } });
  const names = new Set(rows.map(({ stepName }) => stepName));
  const parts: Readonly<Record<string, string>> = {
    format: '"treadle-trace-capture"', version: '1', takenAt: JSON.stringify(new Date(wallTime(clock)).toISOString()), engine: JSON.stringify({ application, version, mode }),
    trace, logs: logs ?? '{"items":[],"total":0}', inputs: await capturedInputs(catalog, rows, caller),
    steps: JSON.stringify(await capturedSteps(surroundings, names)), flow: JSON.stringify(passedFlow(await flowGraph(surroundings), rows)),
  };
  const pieces = Object.entries(parts).flatMap(([name, text], at) => [`${at === 0 ? '{' : ','}"${name}":`, text]);
  return new AdminStream('application/json', [...pieces, '}\n'], `trace-${traceId.slice(0, SHORT_ID)}.capture.json`);
}
