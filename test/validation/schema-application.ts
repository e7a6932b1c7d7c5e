import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';
import { tempApplication } from '../support/temp-folder.js';

/** An application with a Step and a stream for every schema of the table. */
export function schemaApplication(schemas: readonly string[], texts: readonly string[], runtime: 'Node' | 'InProcess'): string {
  const table = (name: string): string => readFileSync(join(ROOT, 'test/validation', name), 'utf8');
  return tempApplication({
    'src/schemas.ts': table('schemas.ts'),
    'src/json-schemas.ts': table('json-schemas.ts'),
    ...Object.fromEntries(schemas.map((name) => [`steps/${name}.step.ts`, STEP(name)])),
    ...Object.fromEntries(schemas.map((name) => [`src/${name}.stream.ts`, STREAM(name)])),
    ...Object.fromEntries(texts.map((name) => [`steps/text-${name}.step.ts`, TEXT_STEP(name)])),
    'steps/put.step.ts': PUT,
    'steps/send.step.ts': SEND(schemas),
    'config.yaml': CONFIG(runtime),
  });
}

const STEP = (name: string): string => `import { http, queue, step } from 'treadle';
import { SCHEMAS } from '../src/schemas';
const { schema } = SCHEMAS['${name}'];
export default step({ name: '${name}', triggers: [http('POST', '/body/${name}', { bodySchema: schema }), queue('${name}', { input: schema })] }, async () => ({ status: 204 }));
`;

const TEXT_STEP = (name: string): string => `import { http, step } from 'treadle';
import { TEXT_SCHEMAS } from '../src/schemas';
const { schema } = TEXT_SCHEMAS['${name}'];
export default step({ name: 'text-${name}', triggers: [http('GET', '/query/${name}', { querySchema: schema }), http('GET', '/headers/${name}', { headersSchema: schema })] }, async () => ({ status: 204 }));
`;

const STREAM = (name: string): string => `import { SCHEMAS } from './schemas';
export const config = { name: '${name}', schema: SCHEMAS['${name}'].schema };
`;

/** Puts an item by \`set\`, and by \`update\` of an empty place. */
const PUT = `import { http, step } from 'treadle';
const tried = (work) => work.then(() => 'taken', ({ code, message }) => (code === 'InvalidItem' ? message : \`\${code}: \${message}\`));
export default step({ name: 'Put', triggers: [http('POST', '/put')] }, async ({ body: { stream, item } }, { streams }) => ({
  status: 200,
  body: {
    set: await tried(streams[stream].set('set', 'it', item)),
    update: await tried(streams[stream].update('update', crypto.randomUUID(), [{ type: 'set', path: [], value: item }])),
  },
}));
`;

const SEND = (topics: readonly string[]): string => `import { http, step } from 'treadle';
export default step({ name: 'Send', triggers: [http('POST', '/send')], enqueues: ${JSON.stringify(topics)} }, async ({ body: { topic, messages } }, { enqueue }) => {
  for (const data of messages) await enqueue({ topic, data });
  return { status: 204 };
});
`;

// With Steps inside the engine their loading delays the event loop, and requests would be refused for that.
const CONFIG = (runtime: string): string => `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0, runtimes: [{ class: modules::runtime::adapters::${runtime} }] }
  - class: modules::queue::QueueModule
  - class: modules::stream::StreamModule
    config: { port: 0 }
`;
