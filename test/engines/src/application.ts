import { buildApplication } from '../../support/built-application.js';
import type { SharedBackend } from '../../support/shared-backends.js';
import { tempApplication } from '../../support/temp-folder.js';

/** Where handlers write what they do; every line is one write, so that those of several processes do not mix. */
export const JOURNAL = 'journal.txt';

/** Counters of a key: with one alone handlers would only wait for each other. */
const COUNTERS = 8;

const ORDER = `export const config = { name: 'Order', triggers: [{ type: 'http', method: 'POST', path: '/orders' }], enqueues: ['ordered', 'counted'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue([{ topic: 'ordered', data: body, messageGroupId: body.key }, { topic: 'counted', data: body }]);
  return { status: 202, body: {} };
};
`;

const ORDERED = `import { appendFileSync } from 'node:fs';
export const config = { name: 'Ordered', triggers: [{ type: 'queue', topic: 'ordered', config: { type: 'fifo', concurrency: 16, maxAttempts: 50 } }] };
export const handler = async ({ key, n }) => {
  appendFileSync('${JOURNAL}', \`began ordered \${key} \${n}\\n\`);
  await new Promise((resolve) => setTimeout(resolve, 2));
  appendFileSync('${JOURNAL}', \`ended ordered \${key} \${n}\\n\`);
};
`;

const counted = (atomic: boolean): string => `import { appendFileSync } from 'node:fs';
export const config = { name: 'Counted', atomic: ${atomic}, triggers: [{ type: 'queue', topic: 'counted', config: { concurrency: 4, maxAttempts: 50, backoff: { delayMs: 50 } } }] };
export const handler = async ({ key, n }, { state, streams }) => {
  appendFileSync('${JOURNAL}', \`began counted \${key} \${n}\\n\`);
  await state.set(\`seen-\${key}\`, String(n), n);
  const counter = \`\${key}-\${n % ${COUNTERS}}\`;
  const { value } = await state.update('counts', counter, [{ type: 'increment' }]);
  await streams.board.set('all', counter, { key: counter, count: value });
};
`;

/** Schedules with a tick each second. */
export const SCHEDULES = ['a', 'b', 'c', 'd'] as const;

/** All that was missed is caught up: with two engines nothing should be. */
const tick = (schedule: string): string => `import { appendFileSync } from 'node:fs';
export const config = { name: 'Tick ${schedule}', triggers: [{ type: 'cron', expression: '* * * * * *', missed: 'all', overlap: 'allow' }] };
export const handler = async ({ scheduledAt }, { attempt }) => appendFileSync('${JOURNAL}', \`tick ${schedule} \${Date.parse(scheduledAt)} \${attempt}\\n\`);
`;

const TOTALS = `export const config = { name: 'Totals', triggers: [{ type: 'http', method: 'GET', path: '/totals' }] };
export const handler = async (_request, { state, streams }) => {
  const all = async (group) => {
    const items = [];
    for (let cursor; ;) {
      const page = await state.list(group, { limit: 1000, ...cursor && { cursor } });
      items.push(...page.items);
      if (!page.cursor) return items;
      cursor = page.cursor;
    }
  };
  const [seen, counts] = [{}, {}];
  for (const { key, value } of await all('counts')) counts[key.split('-')[0]] = (counts[key.split('-')[0]] ?? 0) + value;
  for (const key of Object.keys(counts)) seen[key] = (await all(\`seen-\${key}\`)).length;
  return { status: 200, body: { seen, counts, board: await streams.board.list('all') } };
};
`;

const BOARD = "export const config = { name: 'board', schema: { type: 'object' }, canAccess: () => true };\n";

/** What the Step behind `/totals` answers: of each key the ids in state and the sum of its counters; of each counter the item of the stream. */
export interface Totals {
  readonly seen: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly board: readonly { readonly key: string; readonly count: number }[];
}

/** A built application for engines by these names, each with a configuration of its adapters and a data directory of its own. */
export function sharedApplication(backend: SharedBackend, engines: Readonly<Record<string, SharedBackend['adapters']>>): string {
  const cwd = tempApplication({
    'steps/order.step.js': ORDER, 'steps/ordered.step.js': ORDERED, 'steps/counted.step.js': counted(backend.oneStore),
    ...Object.fromEntries(SCHEDULES.map((schedule) => [`steps/tick-${schedule}.step.js`, tick(schedule)])),
    'steps/totals.step.js': TOTALS, 'steps/board.stream.js': BOARD, [JOURNAL]: '', 'config.yaml': configuration(backend, 'data'),
    ...Object.fromEntries(Object.entries(engines).map(([name, adapters]) => [`${name}.yaml`, configuration({ ...backend, adapters }, name)])),
  });
  buildApplication(cwd);
  return cwd;
}

function configuration({ plugins, adapters }: SharedBackend, dataDir: string): string {
  return JSON.stringify({
    engine: { data_dir: dataDir, implicit_modules: false, init_timeout_ms: 60_000, start_timeout_ms: 60_000 }, plugins,
    modules: [
      { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000, handler_timeout_ms: 60_000 } },
      { class: 'modules::steps::StepsModule', config: { port: false, runtimes: [{ class: 'modules::runtime::adapters::Node', config: { workers: 1 } }] } },
      { class: 'modules::queue::QueueModule', config: { retire_delay_ms: 1_000, adapter: adapters.queue } },
      { class: 'modules::state::StateModule', config: { adapter: adapters.state } },
      { class: 'modules::stream::StreamModule', config: { port: 0, adapter: adapters.stream } },
      { class: 'modules::cron::CronModule', config: { adapter: adapters.cron } },
      { class: 'modules::console::ConsoleModule', config: { port: 0 } },
    ],
  });
}
