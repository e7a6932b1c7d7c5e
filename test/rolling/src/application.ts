import { tempApplication } from '../../support/temp-folder.js';

/** Every n-th message takes longer than a stopping engine waits for handlers: it is handed back. */
const LONG_EACH = 150;
const LONG_MS = 2500;

/** Milliseconds. */
export interface Timing {
  /** How long a GET takes (default 0): what is to show requests that fail needs some under way at each moment. */
  readonly answerMs?: number;
  /** How long an engine that is to end serves on, so that the balancer takes it out before (default 1,000). */
  readonly drainDelayMs?: number;
}

const steps = (answerMs: number): Record<string, string> => ({
  'steps/hello.step.js': `import { setTimeout as sleep } from 'node:timers/promises';
export const config = { name: 'Hello', triggers: [{ type: 'http', method: 'GET', path: '/hello' }] };
export const handler = async () => {
  ${answerMs > 0 ? `await sleep(${answerMs});` : ''}
  return { status: 200, body: { message: 'hello' } };
};
`,
  'steps/order.step.js': `export const config = { name: 'Order', triggers: [{ type: 'http', method: 'POST', path: '/orders' }], enqueues: ['order'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue({ topic: 'order', data: body });
  return { status: 202, body: {} };
};
`,
  'steps/handle.step.js': `import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export const config = { name: 'Handle', triggers: [{ type: 'queue', topic: 'order', config: { concurrency: 100 } }] };
export const handler = async ({ n }, { attempt, signal }) => {
  appendFileSync('handled.txt', 'began ' + n + ' ' + attempt + '\\n');
  await sleep(n % ${LONG_EACH} === 1 ? ${LONG_MS} : n % 20, undefined, { signal });
  appendFileSync('handled.txt', 'ended ' + n + ' ' + attempt + '\\n');
};
`,
});

/** Writes the application of one of the engines into a fresh folder. */
export function rollingApplication(port: number, { answerMs = 0, drainDelayMs = 1_000 }: Timing): string {
  return tempApplication({ ...steps(answerMs), 'config.yaml': `engine: { implicit_modules: false, drain_delay_ms: ${drainDelayMs}, drain_timeout_ms: 1000 }
modules:
  - class: modules::http::HttpModule
    config: { port: ${port}, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] }
  - class: modules::queue::QueueModule
  - class: modules::console::ConsoleModule
    config: { port: 0 }
` });
}
