import { tempApplication } from '../../support/temp-folder.js';

/** What acknowledges: `state` and `kv` (state in a `KvStore`) set keys, `queue` takes messages. */
export type Block = 'state' | 'kv' | 'queue';
export type Durability = 'full' | 'relaxed';

const SET_STEP = `export const config = { name: 'Set', triggers: [{ type: 'http', method: 'POST', path: '/acknowledge' }] };
export const handler = async ({ body }, { state }) => {
  await state.set(body.group, body.id, body.text);
  return { status: 200, body: {} };
};
`;

const LIST_STEP = `export const config = { name: 'List', triggers: [{ type: 'http', method: 'GET', path: '/there' }] };
export const handler = async ({ queryParams }, { state }) => {
  const ids = [];
  for (let cursor; ;) {
    const page = await state.list(queryParams.group, { limit: 1000, cursor });
    ids.push(...page.items.map(({ key }) => key));
    cursor = page.cursor;
    if (!cursor) return { status: 200, body: ids };
  }
};
`;

const ENQUEUE_STEP = `export const config = { name: 'Enqueue', triggers: [{ type: 'http', method: 'POST', path: '/acknowledge' }], enqueues: ['cut'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue({ topic: 'cut', data: body });
  return { status: 200, body: {} };
};
`;

/** While the file \`hold\` is there messages pile up, so that a cut meets many that nobody has handled. */
const CONSUME_STEP = `import { appendFileSync, existsSync } from 'node:fs';

export const config = { name: 'Consume', triggers: [{ type: 'queue', topic: 'cut' }] };
export const handler = async (message) => {
  while (existsSync('hold')) await new Promise((resolve) => setTimeout(resolve, 50));
  appendFileSync('handled.txt', message.group + ' ' + message.id + '\\n');
};
`;

const ADAPTERS: Readonly<Record<Block, string>> = {
  state: 'modules::state::adapters::Sqlite', kv: 'modules::state::adapters::KvStore', queue: 'modules::queue::adapters::Sqlite',
};
const MODULES: Readonly<Record<Block, string>> = {
  state: 'modules::state::StateModule', kv: 'modules::state::StateModule', queue: 'modules::queue::QueueModule',
};

/** An application with one Step that acknowledges; its handlers run in the engine's process, so that it starts quickly. */
export function cuttableApplication(block: Block, durability: Durability): string {
  const steps = block === 'queue'
    ? { 'steps/enqueue.step.js': ENQUEUE_STEP, 'steps/consume.step.js': CONSUME_STEP }
    : { 'steps/set.step.js': SET_STEP, 'steps/list.step.js': LIST_STEP };
  return tempApplication({ ...steps, 'config.yaml': configuration(block, durability) });
}

function configuration(block: Block, durability: Durability): string {
  const settings = block === 'kv' ? 'file_path: kv.db' : `durability: ${durability}`;
  return `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::InProcess }] }
  - class: ${MODULES[block]}
    config: { adapter: { class: ${ADAPTERS[block]}, config: { store_method: file_based, ${settings} } } }
`;
}
