import type { Files } from './temp-folder.js';

/** A file with one fault, and what is to be said of it. */
export interface Fault {
  readonly file: string;
  readonly source: string;
  readonly line: number;
  readonly code: string;
  /** Part of the message: it names the culprit. */
  readonly culprit: string;
  /** Part of the remedy. */
  readonly remedy: string;
}

/** A Step in a script; each key on a line of its own, the first on line 2. */
const step = (...keys: readonly string[]): string =>
  ['export const config = {', ...keys.map((key) => `  ${key},`), '};', 'export const handler = async () => ({ status: 200 });', ''].join('\n');

const pythonStep = (...keys: readonly string[]): string =>
  ['config = {', ...keys.map((key) => `    ${key},`), '}', '', '', 'async def handler(input, ctx):', '    return {"status": 200}', ''].join('\n');

const http = (path: string, more = ''): string => `triggers: [{ type: 'http', method: 'GET', path: '${path}'${more} }]`;

/** What follows is written as it stands, and may begin a line. */
const pythonHttp = (path: string, more = ''): string => `"triggers": [{"type": "http", "method": "GET", "path": "${path}"${more}}]`;

const fault = (file: string, source: string, [line, code, culprit, remedy]: readonly [number, string, string, string]): Fault =>
  ({ file: `steps/${file}`, source, line, code, culprit, remedy });

/** Files that cannot be loaded at all. */
export const UNLOADABLE: readonly Fault[] = [
  fault('syntax.step.ts', 'const a: number = 1;\nexport const config = {;\n', [2, 'STEP_SYNTAX', 'but found ";"', 'correct the syntax']),
  fault('throws.step.ts', "const url = '';\nif (!url) throw new Error('no database url');\n", [2, 'STEP_IMPORT_FAILED', 'no database url', 'belongs in the handler']),
  fault('missing-import.step.js', "import { nothing } from './nowhere.js';\nexport const config = {};\n", [1, 'STEP_IMPORT_FAILED', 'nowhere.js', 'make the file load']),
  fault('no-config.step.ts', 'export const handler = async () => {};\n', [1, 'STEP_NO_CONFIG', 'exports no config', 'export a const named "config"']),
  fault('config-text.step.js', "export const config = 'text';\nexport const handler = async () => {};\n", [1, 'STEP_NO_CONFIG', 'must be an object, not a string', 'export a const named "config"']),
  fault('no-handler.step.js', "export const config = { name: 'NoHandler', triggers: [{ type: 'http', method: 'GET', path: '/no-handler' }] };\n", [1, 'STEP_NO_HANDLER', 'exports no handler', 'export a function named "handler"']),
  fault('bad-schema.step.ts', step("name: 'BadSchema'", "triggers: [{ type: 'http', method: 'POST', path: '/bad-schema', bodySchema: 5 }]"),
    [3, 'STEP_BAD_SCHEMA', 'triggers[0].bodySchema', 'use a schema']),
  fault('syntax_step.py', 'config = {"name": "PySyntax", "triggers": []}\n\ndef handler(input, ctx):\n    return 1 +\n', [4, 'STEP_SYNTAX', 'invalid syntax', 'correct the syntax']),
  fault('throws_step.py', 'import os\nraise RuntimeError("no database url")\n', [2, 'STEP_IMPORT_FAILED', 'no database url', 'belongs in the handler']),
  fault('no_config_step.py', 'def handler(input, ctx):\n    pass\n', [1, 'STEP_NO_CONFIG', 'config', 'write "config = {…}"']),
  fault('no_handler_step.py', 'config = {"name": "PyNoHandler", "triggers": [{"type": "http", "method": "GET", "path": "/py-no-handler"}]}\n', [1, 'STEP_NO_HANDLER', 'handler', 'write "def handler(input, ctx)"']),
  fault('guard.stream-auth.ts', 'export const nothing = 1;\n', [1, 'STEP_NO_AUTHENTICATE', 'authenticate', 'export a function named "authenticate"']),
];

/** Files whose config is faulty. */
export const MISCONFIGURED: readonly Fault[] = [
  fault('unknown-key.step.ts', step("name: 'UnknownKey'", http('/unknown-key'), "enqueus: ['t']"), [4, 'STEP_UNKNOWN_KEY', '"enqueus"', 'did you mean "enqueues"?']),
  fault('unknown-trigger-key.step.js', step("name: 'UnknownTriggerKey'", http('/unknown-trigger-key', ', bodySchem: {}')),
    [3, 'STEP_UNKNOWN_KEY', '"bodySchem"', 'did you mean "bodySchema"?']),
  fault('unknown-kind.step.ts', step("name: 'UnknownKind'", "triggers: [{ type: 'htp', method: 'GET', path: '/unknown-kind' }]"),
    [3, 'STEP_UNKNOWN_KIND', '"htp"', 'did you mean "http"?']),
  fault('unknown-method.step.ts', step("name: 'UnknownMethod'", "triggers: [{ type: 'http', method: 'GETT', path: '/unknown-method' }]"),
    [3, 'STEP_BAD_VALUE', '"GETT"', 'did you mean "GET"?']),
  fault('missing-path.step.js', step("name: 'MissingPath'", "triggers: [{ type: 'http', method: 'GET' }]"), [3, 'STEP_MISSING_KEY', '"path"', 'add "path"']),
  fault('empty-name.step.ts', step("name: ''", http('/empty-name')), [2, 'STEP_BAD_VALUE', 'config.name', 'write something']),
  fault('bad-enqueues.step.ts', step("name: 'BadEnqueues'", "enqueues: ['not a topic']", http('/bad-enqueues')), [3, 'STEP_BAD_TOPIC', 'config.enqueues[0]', 'use 1 to 200 letters']),
  fault('triggers-text.step.ts', step("name: 'TriggersText'", "triggers: 'http'"), [3, 'STEP_BAD_VALUE', 'config.triggers', 'write an array']),
  fault('bad-route.step.ts', step("name: 'BadRoute'", http('/a//b')), [3, 'STEP_BAD_ROUTE', '//', 'write /segments']),
  fault('reserved.step.ts', step("name: 'Reserved'", http('/health')), [3, 'STEP_RESERVED_ROUTE', '/health', 'choose another path']),
  fault('name-twice.step.ts', step("description: 'x'", "name: 'Good'", http('/name-twice')), [3, 'STEP_DUPLICATE_NAME', '"Good"', 'another name']),
  fault('route-twice.step.ts', step("name: 'RouteTwice'", http('/good/:other')), [3, 'STEP_DUPLICATE_TRIGGER', 'GET /good/:other', 'change or remove']),
  fault('own-route-twice.step.js', step("name: 'OwnRouteTwice'", "triggers: [{ type: 'http', method: 'GET', path: '/own' }, { type: 'http', method: 'GET', path: '/own' }]"),
    [3, 'STEP_DUPLICATE_TRIGGER', 'GET /own', 'change or remove']),
  fault('dangling-reference.step.ts', step("name: 'Dangling'", "triggers: [{ type: 'http', method: 'POST', path: '/dangling',", "bodySchema: { $ref: '#/$defs/None' } }]").replace("/dangling',,", "/dangling',"),
    [4, 'STEP_BAD_SCHEMA', 'bodySchema', 'valid JSON Schema']),
  fault('bad-status.step.ts', step("name: 'BadStatus'", http('/bad-status', ", responseSchema: { 99: {} }")), [3, 'STEP_BAD_STATUS', '"99"', 'use the status as the key']),
  fault('bad-limit.step.ts', step("name: 'BadLimit'", "triggers: [{ type: 'http', method: 'POST', path: '/bad-limit', rawBody: true, bodyLimit: 60000000 }]"),
    [3, 'STEP_BAD_LIMIT', 'bodyLimit', 'lower it']),
  fault('bad-cors.step.ts', step("name: 'BadCors'", http('/bad-cors', ", cors: { allowedOrigins: ['*'], credentials: true }")), [3, 'STEP_BAD_CORS', 'cors', 'name the origins']),
  fault('bad-cron.step.ts', step("name: 'BadCron'", "triggers: [{ type: 'cron', expression: '99 * * * *' }]"), [3, 'STEP_BAD_CRON', '99', '']),
  fault('topic-twice.step.ts', step("name: 'TopicTwice'", http('/topic-twice'), "enqueues: ['twice', 'twice']"), [4, 'STEP_DUPLICATE_TOPIC', '"twice"', 'name it once']),
  fault('consumed-twice.step.js', step("name: 'ConsumedTwice'", "triggers: [{ type: 'queue', topic: 'again' }, { type: 'queue', topic: 'again' }]"),
    [3, 'STEP_DUPLICATE_TOPIC', '"again"', 'name it once']),
  fault('board.stream.ts', "export const config = {\n  name: 'board',\n  schem: {},\n};\n", [3, 'STEP_UNKNOWN_KEY', '"schem"', 'did you mean "schema"?']),
  fault('unknown_key_step.py', pythonStep('"name": "PyUnknownKey"', '"triggers": [{"type": "http", "method": "GET", "path": "/py-unknown"}]', '"flow": ["x"]'),
    [4, 'STEP_UNKNOWN_KEY', '"flow"', 'did you mean "flows"?']),
  fault('bad_cron_step.py', pythonStep('"name": "PyBadCron"', '"triggers": [{"type": "cron", "expression": "every day"}]'), [3, 'STEP_BAD_CRON', 'every day', '']),
  fault('misspelt_step.py', pythonStep('"name": "PyMisspelt"', pythonHttp('/py-misspelt'), '"virtual_enqueue": ["x"]'), [4, 'STEP_UNKNOWN_KEY', '"virtualEnqueue"', 'did you mean "virtualEnqueues"?']),
  fault('trigger_key_step.py', pythonStep('"name": "PyTriggerKey"', pythonHttp('/py-trigger-key', ',\n"body_schem": {}')), [4, 'STEP_UNKNOWN_KEY', '"bodySchem"', 'did you mean "bodySchema"?']),
  fault('trigger_value_step.py', pythonStep('"name": "PyTriggerValue"', pythonHttp('/py-trigger-value', ',\n"timeout_ms": "5"')), [4, 'STEP_BAD_VALUE', 'timeoutMs', 'write an integer']),
  fault('schema_value_step.py', pythonStep('"name": "PySchema"', pythonHttp('/py-schema', ',\n"query_schema": {"$ref": "#/$defs/None"}')), [4, 'STEP_BAD_SCHEMA', 'querySchema', 'valid JSON Schema']),
  fault('schema_kind_step.py', pythonStep('"name": "PySchemaKind"', pythonHttp('/py-schema-kind', ',\n"query_schema": 5')), [4, 'STEP_BAD_SCHEMA', 'a JSON Schema dict or a pydantic model, not a int', 'use a JSON Schema dict']),
  fault('status_step.py', pythonStep('"name": "PyStatus"', pythonHttp('/py-status', ', "response_schema": {99: {}}')), [3, 'STEP_BAD_STATUS', '"99"', 'use the status as the key']),
  fault('kind_step.py', pythonStep('"name": "PyKind"', '"triggers": [{"type": "htp"}]'), [3, 'STEP_UNKNOWN_KIND', '"htp"', 'did you mean "http"?']),
  fault('method_step.py', pythonStep('"name": "PyMethod"', '"triggers": [{"type": "http", "method": "GETT", "path": "/py-method"}]'), [3, 'STEP_BAD_VALUE', '"GETT"', 'did you mean "GET"?']),
  fault('no_path_step.py', pythonStep('"name": "PyNoPath"', '"triggers": [{"type": "http", "method": "GET"}]'), [3, 'STEP_MISSING_KEY', '"path"', 'add "path"']),
  fault('health_step.py', pythonStep('"name": "PyHealth"', pythonHttp('/health')), [3, 'STEP_RESERVED_ROUTE', '/health', 'choose another path']),
  fault('same_name_step.py', pythonStep('"name": "Good"', pythonHttp('/py-same-name')), [2, 'STEP_DUPLICATE_NAME', 'steps/a-good.step.ts', 'another name']),
  fault('same_route_step.py', pythonStep('"name": "PySameRoute"', pythonHttp('/good/:py')), [3, 'STEP_DUPLICATE_TRIGGER', 'GET /good/:py', 'change or remove']),
  fault('topic_twice_step.py', pythonStep('"name": "PyTopicTwice"', pythonHttp('/py-topic-twice'), '"enqueues": ["twice", "twice"]'), [4, 'STEP_DUPLICATE_TOPIC', '"twice"', 'name it once']),
  fault('clients_stream_auth.py', 'def authentify(request):\n    return None\n', [1, 'STEP_NO_AUTHENTICATE', 'authenticate', 'write "def authenticate(request)"']),
  fault('lights_stream.py', 'config = {\n    "name": "lights",\n    "can_acces": lambda subscription, auth: True,\n}\n', [3, 'STEP_UNKNOWN_KEY', '"canAcces"', 'did you mean "canAccess"?']),
];

/** Files that serve, but that something is odd about; `cron` is not loaded. */
export const ODD: readonly Fault[] = [
  fault('sends_step.py', pythonStep('"name": "PySends"', pythonHttp('/py-sends'), '"enqueues": ["ticketCreate"]'), [4, 'STEP_TOPIC_NOT_CONSUMED', '"ticketCreate"', 'did you mean "ticket.created"?']),
  fault('takes_step.py', pythonStep('"name": "PyTakes"', '"triggers": [{"type": "queue", "topic": "nobody.sends"}]'), [3, 'STEP_TOPIC_NOT_ENQUEUED', '"nobody.sends"', '']),
  fault('needs_cron_step.py', pythonStep('"name": "PyNeedsCron"', '"triggers": [{"type": "http", "method": "GET", "path": "/py-needs-cron"}, {"type": "cron", "expression": "@daily"}]'),
    [3, 'STEP_KIND_NOT_LOADED', '"cron"', 'add modules::cron::CronModule']),
  fault('sends.step.ts', step("name: 'Sends'", http('/sends'), "enqueues: ['ticketCreated', 'order.placed']"),
    [4, 'STEP_TOPIC_NOT_CONSUMED', '"ticketCreated"', 'did you mean "ticket.created"?']),
  fault('takes.step.js', step("name: 'Takes'", "triggers: [{ type: 'queue', topic: 'ticket.created' }]"), [3, 'STEP_TOPIC_NOT_ENQUEUED', '"ticket.created"', 'did you mean "ticketCreated"?']),
  fault('takes_number_step.py', pythonStep('"name": "TakesNumber"', '"triggers": [{"type": "queue", "topic": "order.placed",',
    '"input": {"type": "object", "required": ["id"], "properties": {"id": {"type": "number"}}}}]').replace('"order.placed",,', '"order.placed",'),
  [3, 'STEP_TOPIC_CONTRADICTION', 'steps/takes-text.step.ts', 'let both use one topic()']),
  fault('listens.step.ts', step("name: 'Listens'", "triggers: [{ type: 'stream', streamName: 'ticket-board' }]"),
    [3, 'STEP_STREAM_NOT_DECLARED', '"ticket-board"', 'declare "ticket-board" in a *.stream.ts']),
  fault('body-on-get.step.ts', step("name: 'BodyOnGet'", http('/body-on-get', ', bodySchema: {}')), [3, 'STEP_BODY_ON_GET', 'GET', 'use querySchema']),
  fault('needs-cron.step.ts', step("name: 'NeedsCron'", "triggers: [{ type: 'http', method: 'GET', path: '/needs-cron' }, { type: 'cron', expression: '@daily' }]"),
    [3, 'STEP_KIND_NOT_LOADED', '"cron"', 'add modules::cron::CronModule']),
];

/** What contradicts a Step above, and is in order itself. */
export const CONSUMER_OF_TEXT: Files = {
  'steps/takes-text.step.ts': step("name: 'TakesText'", "triggers: [{ type: 'queue', topic: 'order.placed', input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }]"),
};

/** Steps in order, in every language. */
export const GOOD: Files = {
  'steps/a-good.step.ts': step("name: 'Good'", http('/good/:id')),
  'steps/good.step.js': step("name: 'GoodScript'", http('/good-script')),
  'steps/good_step.py': pythonStep('"name": "GoodPython"', '"triggers": [{"type": "http", "method": "GET", "path": "/good-python"}]'),
};

export const filesOf = (faults: readonly Fault[]): Files => Object.fromEntries(faults.map(({ file, source }) => [file, source]));
