import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Control } from '../../chaos/src/application.js';
import { tempApplication } from '../../support/temp-folder.js';

/**
 * Runs a program. `nonce` is made anew by every call of `enqueue`: what a repeated call stores a second time would count twice, while a
 * delivery that is repeated finds what it has done already.
 */
const INTERPRETER = `import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export const message = (program, options = {}) => ({
  topic: program.place ? 'ordered' : 'loose', data: { program, nonce: randomBytes(6).toString('hex') }, dedupeKey: program.id,
  ...(program.place ? { messageGroupId: program.place.group } : {}), ...options,
});

export async function interpret({ program, nonce }, context) {
  await context.state.update('runs', 'r' + (program.id.length * 7 + Number(program.id.slice(1))) % 32, [{ type: 'increment', path: 'count' }]);
  if (program.place) await fold(program.place, context.state);
  for (const [index, operation] of program.operations.entries()) await OPERATIONS[operation.do](operation, context, { id: program.id, effect: nonce + '-' + index });
}

const OPERATIONS = {
  compareAndSet: async ({ key, by }, { state }, { effect }) => {
    for (;;) {
      const entry = await state.getEntry('compared', key);
      const { total, done } = entry?.value ?? { total: 0, done: {} };
      if (done[effect]) return;
      const next = { total: total + by, done: { ...done, [effect]: 1 } };
      const stored = await state.compareAndSet('compared', key, entry?.revision ?? 0, next).catch((error) => {
        if (error.code !== 'StateConflict') throw error;
      });
      if (stored) return;
    }
  },
  update: ({ key, by }, { state }, { effect }) => state.update('updated', key, [{ type: 'set', path: ['done', effect], value: by }]),
  set: ({ value }, { state }, { id }) => state.set('own', id, value),
  throw: ({ until }, { attempt }) => { if (attempt <= until) throw new Error('as planned'); },
  pause: ({ ms }) => sleep(ms),
  enqueue: ({ program, delayMs }, { enqueue }) => enqueue(message(program, delayMs ? { delayMs } : {})),
};

/** One of a group at a time, in their order. A number that is there already is a repeat. */
async function fold({ group, n, by }, state) {
  const entry = await state.getEntry('folds', group);
  const before = entry?.value ?? { n: 0, value: 0 };
  if (n <= before.n) return;
  if (n !== before.n + 1) await state.set('faults', group + '-' + n, 'came after ' + before.n);
  await state.compareAndSet('folds', group, entry?.revision ?? 0, { n, value: (before.value * 31 + by) % 1000003 });
}
`;

const SUBMIT = `import { message } from '../interpreter.js';
export const config = { name: 'Submit', triggers: [{ type: 'http', method: 'POST', path: '/programs' }], enqueues: ['loose', 'ordered'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue(body.map((program) => message(program)));
  return { status: 200, body: {} };
};
`;

const RUN = (name: string, topic: string, type: string): string => `import { interpret } from '../interpreter.js';
export const config = { name: '${name}', enqueues: ['loose', 'ordered'], triggers: [{ type: 'queue', topic: '${topic}', config: {
  type: '${type}', concurrency: 32, backoff: { type: 'fixed', delayMs: 30, jitter: 0.5 } } }] };
export const handler = interpret;
`;

const REPORT = `export const config = { name: 'Report', triggers: [{ type: 'http', method: 'GET', path: '/report/:group' }] };
const NUMBERS = {
  compared: ({ total }) => total, updated: ({ done }) => Object.values(done).reduce((sum, by) => sum + by, 0),
  own: (value) => value, folds: ({ value }) => value, runs: ({ count }) => count, faults: (text) => text,
};
export const handler = async ({ pathParams: { group }, query }, { state }) => {
  const { items, cursor } = await state.list(group, { limit: 500, ...(query.cursor ? { cursor: query.cursor } : {}) });
  return { status: 200, body: { items: items.map(({ key, value }) => [key, NUMBERS[group](value)]), ...(cursor ? { cursor } : {}) } };
};
`;

const CONTROLS = fileURLToPath(new URL('../../chaos/controls', import.meta.url));

/** Writes the application into a fresh folder. `control`: with a queue that is wrong on purpose. */
export function programsApplication(control?: Control): string {
  const folder = tempApplication({
    'interpreter.js': INTERPRETER, 'steps/submit.step.js': SUBMIT, 'steps/report.step.js': REPORT,
    'steps/loose.step.js': RUN('Loose', 'loose', 'standard'), 'steps/ordered.step.js': RUN('Ordered', 'ordered', 'fifo'), 'config.yaml': configuration(control),
  });
  if (control) symlinkSync(CONTROLS, join(folder, 'controls'), 'dir');
  return folder;
}

function configuration(control?: Control): string {
  const adapter = control ? `chaos::queue::adapters::${control}` : 'modules::queue::adapters::Sqlite';
  return `${control ? 'plugins: [./controls]\n' : ''}engine:
  implicit_modules: false
  init_timeout_ms: 60000
  start_timeout_ms: 60000
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000, handler_timeout_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 2 } }] }
  - class: modules::state::StateModule
  - class: modules::queue::QueueModule
    config: { adapter: { class: '${adapter}' } }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;
}
