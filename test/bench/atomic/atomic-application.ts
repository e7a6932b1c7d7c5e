import { tempApplication } from '../../support/temp-folder.js';

/** What a handler does with each message. */
export const WORKS = ['nothing', 'message', 'state', 'all'] as const;
export type Work = (typeof WORKS)[number];
/** The same Step with and without `atomic`. */
export const VARIANTS = ['plain', 'atomic'] as const;
export type Variant = (typeof VARIANTS)[number];

export const stepOf = (work: Work, variant: Variant): { readonly step: string; readonly topic: string } =>
  ({ step: `${work}-${variant}`, topic: `${work}.${variant}` });

const MESSAGE = "await enqueue({ topic: 'made', data: { n, title: 'a table' } });";
const STATE = 'await state.set(group, `k${n}`, { n, title: "a table" });';
const ITEM = "await streams.rows.set(group, `i${n}`, { n, title: 'a table' });";
const BODIES: Record<Work, string> = { nothing: '', message: MESSAGE, state: STATE, all: `${STATE} ${ITEM} ${MESSAGE}` };

function consumer(work: Work, variant: Variant): string {
  const { step, topic } = stepOf(work, variant);
  const config = {
    name: step, ...variant === 'atomic' && { atomic: true }, enqueues: ['made'], triggers: [{ type: 'queue', topic, config: { concurrency: 100 } }],
  };
  return `export const config = ${JSON.stringify(config)};\nconst group = '${step}';\n`
    + `export const handler = async ({ n }, { enqueue, state, streams }) => { ${BODIES[work]} };\n`;
}

const TOPICS = WORKS.flatMap((work) => VARIANTS.map((variant) => stepOf(work, variant).topic));
const FILL = `export const config = { name: 'Fill', enqueues: ${JSON.stringify(TOPICS)}, triggers: [{ type: 'http', method: 'POST', path: '/fill' }] };\n`
  + 'export const handler = async ({ body: { topic, count } }, { enqueue }) => {\n'
  + '  for (let sent = 0; sent < count; sent += 1000) await enqueue(Array.from({ length: Math.min(1000, count - sent) }, (_, n) => ({ topic, data: { n: sent + n } })));\n'
  + '  return { status: 204 };\n};\n';

/** One file for queue, state and streams, as it is by default. */
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;

/** An application with every work in both variants, so that one engine serves all contestants. */
export function writeAtomicApplication(): string {
  const steps = WORKS.flatMap((work) => VARIANTS.map((variant) => [`steps/${stepOf(work, variant).step}.step.js`, consumer(work, variant)] as const));
  return tempApplication({
    'config.yaml': CONFIG, 'steps/fill.step.js': FILL, 'steps/rows.stream.js': "export const config = { name: 'rows', schema: { type: 'object' } };\n", ...Object.fromEntries(steps),
  });
}
