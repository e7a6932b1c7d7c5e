import type { NewTrigger } from './step-trigger.js';
import type { StepLanguage } from './step-name.js';

/** What a generated Step says of itself. */
export interface StepSource {
  readonly name: string;
  readonly trigger: NewTrigger;
}

/** Text of a Step file. TypeScript and JavaScript have the same: types come from the config. */
export function stepSource(source: StepSource, language: StepLanguage): string {
  return language === 'py' ? pythonSource(source) : scriptSource(source);
}

/** Handler's parameters and body by kind of trigger. */
type Handlers = Readonly<Record<string, readonly [parameters: string, body: readonly string[]]>>;

const IN_SCRIPT: Handlers = {
  http: ['{ method, path }, { logger }', ["logger.info('request', { method, path });", "return { status: 200, body: { message: 'it works' } };"]],
  queue: ['data, { logger }', ["logger.info('message', { data });"]],
  cron: ['{ scheduledAt }, { logger }', ["logger.info('tick', { scheduledAt });"]],
  state: ['{ type, key, newValue }, { logger }', ["logger.info('state changed', { type, key, newValue });"]],
  stream: ['{ groupId, id, event }, { logger }', ["logger.info('stream changed', { groupId, id, event });"]],
};

const IN_PYTHON: Handlers = {
  http: ['request, ctx', ['ctx.logger.info("request", {"method": request.method, "path": request.path})', 'return {"status": 200, "body": {"message": "it works"}}']],
  queue: ['data, ctx', ['ctx.logger.info("message", {"data": data})']],
  cron: ['tick, ctx', ['ctx.logger.info("tick", {"scheduled_at": tick.scheduled_at})']],
  state: ['change, ctx', ['ctx.logger.info("state changed", {"type": change.type, "key": change.key, "new_value": change.new_value})']],
  stream: ['change, ctx', ['ctx.logger.info("stream changed", {"group_id": change.group_id, "id": change.id, "type": change.event["type"]})']],
};

function scriptSource({ name, trigger }: StepSource): string {
  const [parameters, body] = IN_SCRIPT[trigger.kind] ?? ['', []];
  const options = Object.entries(trigger.options ?? {}).map(([key, value]) => `${key}: ${quoted(value)}`);
  const values = [...trigger.values.map(quoted), ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : [])];
  return [
    `import { ${[trigger.kind, 'step'].sort().join(', ')} } from 'treadle';`, '',
    'export default step(', '  {',
    `    name: ${quoted(name)},`, `    description: ${quoted(trigger.starts)},`, `    triggers: [${trigger.kind}(${values.join(', ')})],`,
    '  },', `  async (${parameters}) => {`, ...body.map((line) => `    ${line}`), '  },', ');', '',
  ].join('\n');
}

function pythonSource({ name, trigger }: StepSource): string {
  const [parameters, body] = IN_PYTHON[trigger.kind] ?? ['', []];
  const options = Object.entries(trigger.options ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const values = [...trigger.values.map((value) => JSON.stringify(value)), ...options];
  return [
    `from treadle import ${trigger.kind}`, '',
    'config = {',
    `    "name": ${JSON.stringify(name)},`, `    "description": ${JSON.stringify(trigger.starts)},`, `    "triggers": [${trigger.kind}(${values.join(', ')})],`,
    '}', '', '', `async def handler(${parameters}):`, ...body.map((line) => `    ${line}`), '',
  ].join('\n');
}

/** In single quotes. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
