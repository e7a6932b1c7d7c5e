import { tempApplication } from '../../support/temp-folder.js';
import type { HostileCase } from './hostile-cases.js';

/** How a value reaches a schema: as a body, as a message, as an item of a stream, or past it into state that triggers a Step. */
export const WAYS = ['http', 'queue', 'stream', 'state'] as const;
export type Way = (typeof WAYS)[number];

const CONFIG = {
  engine: { implicit_modules: false },
  modules: [
    { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000, body_limit_bytes: 1_048_576 } },
    { class: 'modules::steps::StepsModule', config: { port: false } },
    { class: 'modules::queue::QueueModule', config: { adapter: { class: 'modules::queue::adapters::Sqlite' } } },
    { class: 'modules::state::StateModule', config: { adapter: { class: 'modules::state::adapters::Sqlite' } } },
    { class: 'modules::stream::StreamModule', config: { port: 0, adapter: { class: 'modules::stream::adapters::Sqlite' } } },
  ],
};

const IMPORT = "import { z } from 'zod';\nimport * as v from 'valibot';\n";
const PRODUCES: Readonly<Record<Exclude<Way, 'http'>, (index: number) => string>> = {
  queue: (index) => `await enqueue({ topic: 't${index}', data: body })`,
  stream: (index) => `await streams['s${index}'].set('all', 'item', body)`,
  state: (index) => `await state.set('g${index}', 'key', body)`,
};

/** Where a case is sent to on a way. */
export const pathOf = (way: Way, index: number): string => `/${way}/${index}`;

/** Writes an application with a Step for each case and way into a fresh folder. */
export function hostileApplication(cases: readonly HostileCase[]): string {
  const files: Record<string, string> = { 'config.yaml': JSON.stringify(CONFIG), 'package.json': '{"type":"module"}' };
  for (const [index, each] of cases.entries()) Object.assign(files, sendersOf(index), (each.python === true ? takersInPython : takersOf)(index, each.schema));
  return tempApplication(files);
}

/** Those who send what they are sent themselves; a change of state sets off what has no schema. */
function sendersOf(index: number): Record<string, string> {
  const sender = (way: Exclude<Way, 'http'>): string =>
    `export const config = { name: '${way}-${index}', triggers: [{ type: 'http', method: 'POST', path: '${pathOf(way, index)}' }], enqueues: ['t${index}'] };
export const handler = async ({ body }, { enqueue, streams, state }) => { ${PRODUCES[way](index)}; return { status: 200, body: {} }; };\n`;
  return {
    [`steps/queue-${index}.step.js`]: sender('queue'), [`steps/stream-${index}.step.js`]: sender('stream'), [`steps/state-${index}.step.js`]: sender('state'),
    [`steps/changed-${index}.step.js`]: `export const config = { name: 'changed-${index}', triggers: [{ type: 'state', group: 'g${index}' }] };\nexport const handler = async () => {};\n`,
  };
}

function takersOf(index: number, schema: string): Record<string, string> {
  return {
    [`steps/http-${index}.step.js`]: `${IMPORT}export const config = { name: 'http-${index}', triggers: [{ type: 'http', method: 'POST', path: '${pathOf('http', index)}', bodySchema: ${schema} }] };
export const handler = async () => ({ status: 200, body: {} });\n`,
    [`steps/consume-${index}.step.js`]: `${IMPORT}export const config = { name: 'consume-${index}', triggers: [{ type: 'queue', topic: 't${index}', input: ${schema} }] };\nexport const handler = async () => {};\n`,
    [`steps/s${index}.stream.js`]: `${IMPORT}export const config = { name: 's${index}', schema: ${schema} };\n`,
  };
}

function takersInPython(index: number, schema: string): Record<string, string> {
  return {
    [`steps/http_${index}_step.py`]: `${schema}config = {"name": "http-${index}", "triggers": [{"type": "http", "method": "POST", "path": "${pathOf('http', index)}", "body_schema": SCHEMA}]}
def handler(input, ctx):
    return {"status": 200, "body": {}}\n`,
    [`steps/consume_${index}_step.py`]: `${schema}config = {"name": "consume-${index}", "triggers": [{"type": "queue", "topic": "t${index}", "input": SCHEMA}]}\ndef handler(input, ctx):\n    pass\n`,
    [`steps/s${index}_stream.py`]: `${schema}config = {"name": "s${index}", "schema": SCHEMA}\n`,
  };
}
