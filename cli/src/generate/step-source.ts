import type { NewTrigger } from './step-trigger.js';
import type { StepLanguage } from './step-name.js';

/** What a generated Step says of itself. */
export interface StepSource {
  readonly name: string;
  readonly trigger: NewTrigger;
  /** How a schema is written; JSON Schema where the application has no zod. */
  readonly schemas: SchemaStyle;
}

/** In TypeScript and JavaScript. */
export type SchemaStyle = 'zod' | 'json';

const JSON_SCHEMA = "{ type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } }";
/** The schema of an example body, by the style. */
export const EXAMPLE_SCHEMA: Readonly<Record<SchemaStyle | 'python', string>> = {
  zod: 'z.object({ name: z.string().min(1) })', json: JSON_SCHEMA,
  python: '{"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}}',
};
export const ZOD_IMPORT = "import { z } from 'zod';";

/** Text of a Step file. TypeScript and JavaScript have the same: types come from the config. */
export function stepSource(source: StepSource, language: StepLanguage): string {
  return language === 'py' ? pythonSource(source) : scriptSource(source);
}

/** Handler's parameters and body by kind of trigger. */
type Handlers = Readonly<Record<string, readonly [parameters: string, body: readonly string[]]>>;

const IN_SCRIPT: Handlers = {
  'http with a body': ['{ body }, { logger }', ["logger.info('request', { body });", 'return { status: 200, body: { received: body } };']],
  http: ['{ method, path }, { logger }', ["logger.info('request', { method, path });", "return { status: 200, body: { message: 'it works' } };"]],
  queue: ['data, { logger }', ["logger.info('message', { data });"]],
  cron: ['{ scheduledAt }, { logger }', ["logger.info('tick', { scheduledAt });"]],
  state: ['{ type, key, newValue }, { logger }', ["logger.info('state changed', { type, key, newValue });"]],
  stream: ['{ groupId, id, event }, { logger }', ["logger.info('stream changed', { groupId, id, event });"]],
};

const IN_PYTHON: Handlers = {
  'http with a body': ['request, ctx', ['ctx.logger.info("request", {"body": request.body})', 'return {"status": 200, "body": {"received": request.body}}']],
  http: ['request, ctx', ['ctx.logger.info("request", {"method": request.method, "path": request.path})', 'return {"status": 200, "body": {"message": "it works"}}']],
  queue: ['data, ctx', ['ctx.logger.info("message", {"data": data})']],
  cron: ['tick, ctx', ['ctx.logger.info("tick", {"scheduled_at": tick.scheduled_at})']],
  state: ['change, ctx', ['ctx.logger.info("state changed", {"type": change.type, "key": change.key, "new_value": change.new_value})']],
  stream: ['change, ctx', ['ctx.logger.info("stream changed", {"group_id": change.group_id, "id": change.id, "type": change.event["type"]})']],
};

function scriptSource({ name, trigger, schemas }: StepSource): string {
  const [parameters, body] = IN_SCRIPT[handlerOf(trigger)] ?? ['', []];
  const options = [
    ...Object.entries(trigger.options ?? {}).map(([key, value]) => `${key}: ${quoted(value)}`),
    ...(trigger.hasBody ? [`bodySchema: ${EXAMPLE_SCHEMA[schemas]}`] : []),
  ];
  const values = [...trigger.values.map(quoted), ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : [])];
  return [
    `import { ${[trigger.kind, 'step'].sort().join(', ')} } from 'treadle';`, ...(trigger.hasBody && schemas === 'zod' ? [ZOD_IMPORT] : []), '',
    'export default step(', '  {',
    `    name: ${quoted(name)},`, `    description: ${quoted(trigger.starts)},`, `    triggers: [${trigger.kind}(${values.join(', ')})],`,
    '  },', `  async (${parameters}) => {`, ...body.map((line) => `    ${line}`), '  },', ');', '',
  ].join('\n');
}

function pythonSource({ name, trigger }: StepSource): string {
  const [parameters, body] = IN_PYTHON[handlerOf(trigger)] ?? ['', []];
  const options = Object.entries(trigger.options ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const values = [...trigger.values.map((value) => JSON.stringify(value)), ...options, ...(trigger.hasBody ? ['body_schema=BODY'] : [])];
  return [
    `from treadle import ${trigger.kind}`, '', ...(trigger.hasBody ? [`BODY = ${EXAMPLE_SCHEMA.python}`, ''] : []),
    'config = {',
    `    "name": ${JSON.stringify(name)},`, `    "description": ${JSON.stringify(trigger.starts)},`, `    "triggers": [${trigger.kind}(${values.join(', ')})],`,
    '}', '', '', `async def handler(${parameters}):`, ...body.map((line) => `    ${line}`), '',
  ].join('\n');
}

function handlerOf({ kind, hasBody }: NewTrigger): string {
  return hasBody ? `${kind} with a body` : kind;
}

/** In single quotes. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
