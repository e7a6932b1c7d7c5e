import { tempApplication } from '../../support/temp-folder.js';
import type { HostileCase } from './hostile-cases.js';

/** How a value reaches a schema: as a body, as a message, as an item of a stream, or past it into state that triggers a Step. */
export type Way = 'http' | 'queue' | 'stream' | 'state';

const CONFIG = {
  engine: { implicit_modules: false },
  modules: [
    { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000, body_limit_bytes: 1_048_576 } },
    { class: 'modules::steps::StepsModule', config: { port: false } },
    { class: 'modules::queue::QueueModule', config: { adapter: { class: 'modules::queue::adapters::Sqlite', config: { store_method: 'in_memory' } } } },
    { class: 'modules::state::StateModule', config: { adapter: { class: 'modules::state::adapters::Sqlite', config: { store_method: 'in_memory' } } } },
    { class: 'modules::stream::StreamModule', config: { port: 0, adapter: { class: 'modules::stream::adapters::Sqlite', config: { store_method: 'in_memory' } } } },
  ],
};

const IMPORT = "import { z } from 'zod';\n";

/** Where a case is sent to on a way. */
export const pathOf = (way: Way, index: number): string => `/${way}/${index}`;

/** Writes an application with a Step for each case and way into a fresh folder. */
export function hostileApplication(cases: readonly HostileCase[]): string {
  const files: Record<string, string> = { 'config.yaml': JSON.stringify(CONFIG), 'package.json': '{"type":"module"}' };
  for (const [index, { schema }] of cases.entries()) Object.assign(files, filesOf(index, schema));
  return tempApplication(files);
}

function filesOf(index: number, schema: string): Record<string, string> {
  const producer = (way: Way, body: string, more = ''): string =>
    `export const config = { name: '${way}-${index}', triggers: [{ type: 'http', method: 'POST', path: '${pathOf(way, index)}' }]${more} };
export const handler = async ({ body }, { enqueue, streams, state }) => { ${body}; return { status: 200, body: {} }; };\n`;
  return {
    [`steps/http-${index}.step.js`]: `${IMPORT}export const config = { name: 'http-${index}', triggers: [{ type: 'http', method: 'POST', path: '${pathOf('http', index)}', bodySchema: ${schema} }] };
export const handler = async () => ({ status: 200, body: {} });\n`,
    [`steps/queue-${index}.step.js`]: producer('queue', `await enqueue({ topic: 't${index}', data: body })`, `, enqueues: ['t${index}']`),
    [`steps/consume-${index}.step.js`]: `${IMPORT}export const config = { name: 'consume-${index}', triggers: [{ type: 'queue', topic: 't${index}', input: ${schema} }] };\nexport const handler = async () => {};\n`,
    [`steps/stream-${index}.step.js`]: producer('stream', `await streams['s${index}'].set('all', 'item', body)`),
    [`steps/s${index}.stream.js`]: `${IMPORT}export const config = { name: 's${index}', schema: ${schema} };\n`,
    [`steps/state-${index}.step.js`]: producer('state', `await state.set('g${index}', 'key', body)`),
    [`steps/changed-${index}.step.js`]: `export const config = { name: 'changed-${index}', triggers: [{ type: 'state', group: 'g${index}' }] };\nexport const handler = async () => {};\n`,
  };
}
