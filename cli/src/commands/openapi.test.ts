import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, type CommandOutcome } from '../cli.fixture.js';

const CREATE = `
import { http, step } from 'treadle';
import { z } from 'zod';
const node = z.object({ name: z.string(), get children() { return z.array(node).optional(); } });
export default step({
  name: 'CreateTicket', description: 'Opens a "ticket": now', flows: ['support'],
  triggers: [http('POST', '/tickets', {
    bodySchema: z.object({ title: z.string().min(3), due: z.date().optional() }),
    querySchema: z.object({ notify: z.boolean().default(false) }),
    responseSchema: { 200: z.object({ id: z.string() }), 201: node, 400: z.object({ error: z.string() }), 500: z.object({ error: z.string() }) },
  })],
}, async () => ({ status: 201, body: { name: 'x' } }));
`;
const PYTHON = `config = {
    "name": "GetTicket",
    "triggers": [{"type": "http", "method": "GET", "path": "/tickets/:id", "responseSchema": {200: {"type": "object"}, 404: True}}],
}


def handler(input, ctx):
    return {"status": 404}
`;

describe('treadle openapi', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp({ 'package.json': '{"name":"shop","version":"1.2.3","license":"MIT"}', 'steps/create.step.ts': CREATE, 'steps/get_step.py': PYTHON }); });
  afterEach(() => removeApp(folder));
  const openapi = (...args: string[]): Promise<CommandOutcome> => runCli(['openapi', ...args], { cwd: folder });
  const validate = async (document: unknown): Promise<void> => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
    expect(valid, JSON.stringify(errors)).to.equal(true);
  };

  it('describes Steps of both languages, every status that they declare included', async () => {
    const { code, stdout, stderr } = await openapi('--server', 'https://shop.example');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '2 operations on 2 paths\n' });
    const document = JSON.parse(stdout) as { info: object; servers: object; paths: Record<string, Record<string, { operationId: string; responses: object }>> };
    await validate(document);
    expect(document.info).to.deep.include({ version: '1.2.3', license: { name: 'MIT', identifier: 'MIT' } });
    expect(document.servers).to.deep.equal([{ url: 'https://shop.example' }]);
    const create = document.paths['/tickets']!['post']!;
    expect(create).to.deep.include({ operationId: 'CreateTicket', description: 'Opens a "ticket": now', tags: ['support'] });
    expect(create.responses).to.include.all.keys('200', '201', '400', '500');
    expect(document.paths['/tickets/{id}']!['get']!.responses).to.include.all.keys('200', '404');
  });

  it('names what guards of triggers and of files ask for, in both languages', async () => {
    const route = (name: string, middleware = ''): string =>
      `export const config = { name: '${name}', triggers: [{ type: 'http', method: 'GET', path: '/${name}'${middleware} }] };\nexport const handler = () => ({ status: 204 });\n`;
    addFiles(folder, {
      'steps/own.step.js': `import { basic } from 'treadle/auth';\nconst users = basic({ users: { ada: 'x' } });\n${route('own', ', middleware: users.optional')}`,
      'steps/in/in.step.js': route('in'), 'steps/in/in.middleware.js': "import { apiKey } from 'treadle/auth';\nexport default apiKey({ keys: { a: 'x' } });\n",
      'steps/py/session_step.py': `from treadle import http, step
from treadle.auth import session_cookie

session = session_cookie(secret="${'x'.repeat(16)}")
step({"name": "session", "triggers": [http("GET", "/session", middleware=[session])]}, lambda: None)
`,
      'steps/py/in/in_step.py': PYTHON.replace('GetTicket', 'inner').replace('/tickets/:id', '/inner'),
      'steps/py/in/own_middleware.py': 'from treadle.auth import Guard\n\nmiddleware = Guard(lambda request: None, "Own", [{"type": "http", "scheme": "Own"}]).optional\n',
    });
    const document = JSON.parse((await openapi()).stdout) as { components: { securitySchemes: object }; paths: Record<string, Record<string, { security?: object; responses: object }>> };
    await validate(document);
    const of = (path: string): { security?: object; responses: object } => document.paths[path]!['get'] ?? document.paths[path]!['post']!;
    expect(['/tickets', '/own', '/in', '/session', '/inner'].map((path) => [of(path).security, '401' in of(path).responses])).to.deep.equal([
      [undefined, false], [[{ basic: [] }, {}], false], [[{ 'header.x-api-key': [] }], true], [[{ 'cookie.session': [] }], true], [[{ own: [] }, {}], false],
    ]);
    expect(document.components.securitySchemes).to.deep.equal({
      'header.x-api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' }, own: { type: 'http', scheme: 'Own' }, basic: { type: 'http', scheme: 'basic' },
      'cookie.session': { type: 'apiKey', in: 'cookie', name: 'session' },
    });
  });

  it('writes YAML that says the same, by the ending of the file', async () => {
    const { code, stdout } = await openapi('--output', 'api.yaml');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
    const text = readFileSync(join(folder, 'api.yaml'), 'utf8');
    const validator = new Validator();
    // The validator reads YAML itself, so this also shows that others can.
    expect((await validator.validate(text)).valid).to.equal(true);
    expect(validator.specification).to.deep.equal(JSON.parse((await openapi()).stdout));
    expect((await openapi('--format', 'yaml')).stdout).to.equal(text);
  });

  it('leaves faulty Steps out, names them and exits 65', async () => {
    addFiles(folder, { 'steps/broken.step.ts': 'export const nonsense = ;' });
    const { code, stdout, stderr } = await openapi();
    expect(code).to.equal(65);
    expect(stderr).to.include('steps/broken.step.ts:1:25  error  STEP_SYNTAX');
    expect(JSON.parse(stdout)).to.have.nested.property('paths./tickets.post');
  });

  it('prints nothing else with --json, and refuses a faulty configuration', async () => {
    const { code, stdout, stderr } = await openapi('--json');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    await validate(JSON.parse(stdout));
    addFiles(folder, { 'config.yaml': 'modules:\n  - class: modules::http::HttpModul\n' });
    expect((await openapi()).code).to.equal(78);
  });

  it('names a file that it cannot write', async () => {
    const { code, stderr } = await openapi('--output', 'no/such/folder.json');
    expect(code).to.equal(74);
    expect(stderr).to.include('FILE_NOT_WRITABLE  "no/such/folder.json" cannot be written');
  });
});
