import type { Files } from '../../support/temp-folder.js';

/** An application that stores each value it is sent as state, as an item of a stream and as a message that another Step takes, and tells what it has; one process, an embedded store. */
const files = (state: string): Files => ({
  'steps/store.step.js': `export const config = { name: 'Store', triggers: [{ type: 'http', method: 'POST', path: '/store' }], enqueues: ['stored'] };
export const handler = async ({ body: { key, value } }, { state, streams, enqueue }) => {
  await Promise.all([state.set('damage', key, value), streams.damage.set('all', key, { value }), enqueue({ topic: 'stored', data: { key } })]);
  return { status: 200, body: {} };
};
`,
  'steps/read.step.js': `export const config = { name: 'Read', triggers: [{ type: 'http', method: 'POST', path: '/read' }] };
export const handler = async ({ body }, { state, streams }) => ({
  status: 200,
  body: await Promise.all(body.map(async (key) => {
    const [value, item, taken] = await Promise.all([state.get('damage', key), streams.damage.get('all', key), state.get('taken', key)]);
    return { value, item: item?.value, taken };
  })),
});
`,
  'steps/take.step.js': `export const config = { name: 'Take', triggers: [{ type: 'queue', topic: 'stored' }] };
export const handler = async ({ key }, { state }) => { await state.set('taken', key, true); };
`,
  'steps/damage.stream.js': `export const config = { name: 'damage', schema: { type: 'object', properties: { value: { type: 'string' } } } };
`,
  'config.yaml': `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::InProcess }] }
  - class: modules::queue::QueueModule
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
  - class: modules::state::StateModule
${state}`,
});

/** State in the embedded store. */
export const APPLICATION = files('');
/** State in a store of its own, beside the embedded one. */
export const KV_APPLICATION = files(`    config: { adapter: { class: modules::state::adapters::KvStore, config: { store_method: file_based } } }
`);
