import { tempApplication } from '../../support/temp-folder.js';

/** What is compared: one handler, in Node.js and in both ways of Python. */
export const LANGUAGES = ['node', 'python-async', 'python-sync'] as const;
export type Language = (typeof LANGUAGES)[number];

const SCHEMA = {
  type: 'object', required: ['title', 'description', 'priority', 'customer', 'tags'], additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 }, description: { type: 'string' }, priority: { enum: ['low', 'normal', 'high'] },
    customer: {
      type: 'object', required: ['id', 'name', 'age'], additionalProperties: false,
      properties: { id: { type: 'string', minLength: 1 }, name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
    },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 20 },
  },
};

/** Both have the engine check the same JSON Schema; neither checks anything itself. */
const python = (language: Language, def: string): Record<string, string> => {
  const folder = `steps/${language.replace('-', '_')}`;
  const http = (name: string, method: string, path: string, more: string): string =>
    `import json\nconfig = {"name": "${name}-${language}", "triggers": [{"type": "http", "method": "${method}", "path": "${path}/${language}"${more}}]}\n\n`;
  return {
    [`${folder}/hello_step.py`]: `${http('Hello', 'GET', '/hello', '')}${def} handler(input, ctx):\n    return {"status": 200, "body": {"message": "hello world"}}\n`,
    [`${folder}/order_step.py`]: `${http('Order', 'POST', '/orders', `, "body_schema": json.loads('${JSON.stringify(SCHEMA)}')`)}${def} handler(input, ctx):\n`
      + '    body = input.body\n    return {"status": 200, "body": {"id": body["customer"]["id"], "title": body["title"], "accepted": True}}\n',
    [`${folder}/job_step.py`]: `config = {"name": "Job-${language}", "triggers": [{"type": "queue", "topic": "jobs.${language}", "config": {"concurrency": 100}}]}\n\n${def} handler(data, ctx):\n    pass\n`,
  };
};

const node = (): Record<string, string> => ({
  'steps/hello.step.js': "export const config = { name: 'Hello-node', triggers: [{ type: 'http', method: 'GET', path: '/hello/node' }] };\n"
    + "export const handler = async () => ({ status: 200, body: { message: 'hello world' } });\n",
  'steps/order.step.js': `export const config = { name: 'Order-node', triggers: [{ type: 'http', method: 'POST', path: '/orders/node', bodySchema: ${JSON.stringify(SCHEMA)} }] };\n`
    + 'export const handler = async ({ body }) => ({ status: 200, body: { id: body.customer.id, title: body.title, accepted: true } });\n',
  'steps/job.step.js': "export const config = { name: 'Job-node', triggers: [{ type: 'queue', topic: 'jobs.node', config: { concurrency: 100 } }] };\nexport const handler = async () => {};\n",
  'steps/fill.step.js': `export const config = { name: 'Fill', enqueues: ${JSON.stringify(LANGUAGES.map((language) => `jobs.${language}`))}, triggers: [{ type: 'http', method: 'POST', path: '/fill' }] };\n`
    + 'export const handler = async ({ body: { topic, count } }, { enqueue }) => {\n'
    + '  for (let sent = 0; sent < count; sent += 1000) await enqueue(Array.from({ length: Math.min(1000, count - sent) }, (_, n) => ({ topic, data: { n: sent + n, title: "a table" } })));\n'
    + '  return { status: 204 };\n};\n',
});

/** Ports and a queue in memory: what is measured are handlers, not the disk. */
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;

/** One application with everything, so that one engine serves all contestants. */
export function writePythonApplication(): string {
  return tempApplication({ 'config.yaml': CONFIG, ...node(), ...python('python-async', 'async def'), ...python('python-sync', 'def') });
}
