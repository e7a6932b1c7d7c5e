import { tempApplication } from '../../support/temp-folder.js';

/** Settings by module class, without its adapters. */
export type Settings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const HTTP = 'modules::http::HttpModule';
export const OTEL = 'modules::observability::OtelModule';
export const QUEUE = 'modules::queue::QueueModule';
export const STREAM = 'modules::stream::StreamModule';

const FAST = `export const config = { name: 'Fast', triggers: [{ type: 'http', method: 'GET', path: '/fast' }] };
export const handler = async () => ({ status: 200, body: { ok: true } });
`;
const SLOW = `export const config = { name: 'Slow', triggers: [{ type: 'http', method: 'GET', path: '/slow' }] };
export const handler = async ({ query }) => {
  await new Promise((resolve) => setTimeout(resolve, Number(query.ms)));
  return { status: 200, body: { ok: true } };
};
`;
const SEND = `export const config = { name: 'Send', triggers: [{ type: 'http', method: 'POST', path: '/send' }], enqueues: ['sent'] };
export const handler = async (_request, { enqueue }) => {
  await enqueue({ topic: 'sent', data: {} });
  return { status: 200, body: { ok: true } };
};
`;
const TAKE = `export const config = { name: 'Take', triggers: [{ type: 'queue', topic: 'sent' }] };
export const handler = async () => undefined;
`;

/** Text of the configuration. A machine that has much else to do must not shed, and whoever knows only a former address has a moment. */
export function configText(settings: Settings): string {
  const module = (name: string): object => ({ class: name, config: settings[name] ?? {} });
  return JSON.stringify({
    engine: { implicit_modules: false, drain_delay_ms: 3_000 },
    modules: [HTTP, OTEL, QUEUE, STREAM].map(module).concat({ class: 'modules::steps::StepsModule', config: { port: false } }),
  });
}

/** Writes an application with a fast, a slow and a sending Step into a fresh folder. */
export function reloadsApplication(settings: Settings): string {
  return tempApplication({
    'steps/fast.step.js': FAST, 'steps/slow.step.js': SLOW, 'steps/send.step.js': SEND, 'steps/take.step.js': TAKE,
    'public/index.html': 'served', 'config.yaml': configText(settings),
  });
}
