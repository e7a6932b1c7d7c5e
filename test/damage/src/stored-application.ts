import type { Files } from '../../support/temp-folder.js';

/** An application that stores values over HTTP and tells what it has; one process, an embedded store. */
const files = (state: string): Files => ({
  'steps/store.step.js': `export const config = { name: 'Store', triggers: [{ type: 'http', method: 'POST', path: '/store' }] };
export const handler = async ({ body }, { state }) => {
  await state.set('damage', body.key, body.value);
  return { status: 200, body: {} };
};
`,
  'steps/read.step.js': `export const config = { name: 'Read', triggers: [{ type: 'http', method: 'POST', path: '/read' }] };
export const handler = async ({ body }, { state }) => ({ status: 200, body: await Promise.all(body.map((key) => state.get('damage', key))) });
`,
  'config.yaml': `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::InProcess }] }
  - class: modules::queue::QueueModule
  - class: modules::console::ConsoleModule
  - class: modules::state::StateModule
${state}`,
});

/** State in the embedded store. */
export const APPLICATION = files('');
/** State in a store of its own, beside the embedded one. */
export const KV_APPLICATION = files(`    config: { adapter: { class: modules::state::adapters::KvStore, config: { store_method: file_based } } }
`);
