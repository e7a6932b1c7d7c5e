import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli, type CommandOutcome } from '../cli.fixture.js';

/** The repository. */
const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const PACKAGE = '{"name":"app","type":"module"}';
const TSCONFIG = JSON.stringify({
  compilerOptions: { target: 'ES2022', module: 'NodeNext', moduleResolution: 'NodeNext', strict: true, skipLibCheck: true, noEmit: true, types: [] }, include: ['steps'],
});

describe('treadle generate', function () {
  this.timeout(120_000);
  let folder: string;
  beforeEach(() => { folder = makeApp({ 'package.json': PACKAGE, 'tsconfig.json': TSCONFIG }); });
  afterEach(() => removeApp(folder));
  const run = (...args: string[]): Promise<CommandOutcome> => runCli(args, { cwd: folder });
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
  /** What the compiler says of the application. */
  const compile = (): string => {
    try {
      execFileSync(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder], { cwd: folder, encoding: 'utf8' });
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  it('step: writes Steps of every kind in every language that pass check and compile', async () => {
    addFiles(folder, { 'steps/board.stream.ts': "export const config = { name: 'board' };\n" });
    const kinds: readonly (readonly string[])[] = [
      ['http', '--method', 'POST', '--path', "/it's/:id"], ['queue', '--topic', 'ticket.created'], ['cron', '--expression', '0 2 * * *'],
      ['state', '--group', 'tickets'], ['stream', '--stream', 'board'],
    ];
    for (const language of ['ts', 'js', 'py']) {
      for (const [kind = '', ...options] of kinds) {
        const own = kind === 'http' ? options.map((option) => (option.startsWith('/') ? `/${language}/:id` : option)) : options;
        const { code, stderr } = await run('generate', 'step', `${language}/do-${kind}-${language}`, '--trigger', kind, '--language', language, ...own);
        expect(code, stderr).to.equal(0);
      }
    }
    const { code, stdout } = await run('check');
    expect(code, stdout).to.equal(0);
    expect(stdout).to.include('15 Steps in 15 files: valid. 15 triggers, 1 stream.');
    expect(compile()).to.equal('');
    expect(text('steps/ts/do-queue-ts.step.ts')).to.include("name: 'DoQueueTs'").and.include("triggers: [queue('ticket.created')]");
    expect(text('steps/ts/do-http-ts.step.ts')).to.include("import { z } from 'zod';").and.include("http('POST', '/ts/:id', { bodySchema: z.object({ name: z.string().min(1) }) })");
    expect(text('steps/py/do_http_py_step.py')).to.include('"triggers": [http("POST", "/py/:id", body_schema=BODY)]').and.include('BODY = {"type": "object"');
  });

  it('stream: writes declarations in every language that pass check and compile, and overwrites nothing', async () => {
    for (const language of ['ts', 'js', 'py']) {
      const { code, stdout, stderr } = await run('generate', 'stream', `${language}/chat-${language}`, '--language', language);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.match(new RegExp(`^steps/${language}/chat[-_]${language}[._]stream\\.${language}: stream chat-${language}\\n$`));
    }
    expect((await run('check')).stdout).to.include('3 streams');
    expect(compile()).to.equal('');
    expect(text('steps/ts/chat-ts.stream.ts')).to.include("name: 'chat-ts'").and.include('satisfies StreamConfig');
    const again = await run('generate', 'stream', 'ts/chat-ts', '--language', 'ts');
    expect(again).to.include({ code: 64, stderr: 'error  USAGE  "steps/ts/chat-ts.stream.ts" exists already\n    hint: choose another name, or remove the file first\n' });
  });

  it('docker: writes what makes an image, for the package manager and the languages, and overwrites nothing', async () => {
    addFiles(folder, { 'steps/a.step.ts': "import { http, step } from 'treadle';\nexport default step({ name: 'A', triggers: [http('GET', '/a')] }, async () => ({ status: 204 }));\n" });
    expect(await run('generate', 'docker')).to.deep.include({ code: 0, stdout: 'written: Dockerfile, .dockerignore, compose.yaml\n"docker compose up --build" runs the application\n' });
    for (const file of ['Dockerfile', '.dockerignore', 'compose.yaml']) {
      expect(text(file), file).to.equal(readFileSync(join(WORKSPACE, 'docs/deploy', file), 'utf8'));
    }
    expect(await run('generate', 'docker')).to.include({ code: 64, stderr: 'error  USAGE  "Dockerfile" exists already\n    hint: choose another name, or remove the file first\n' });
    for (const file of ['Dockerfile', '.dockerignore', 'compose.yaml']) unlinkSync(join(folder, file));
    addFiles(folder, { 'pnpm-lock.yaml': '', 'requirements.txt': '', 'steps/b_step.py': 'config = {"name": "B", "triggers": []}\ndef handler(input, ctx): pass\n' });
    expect((await run('generate', 'docker')).code).to.equal(0);
    expect(text('Dockerfile')).to.include('COPY package.json pnpm-lock.yaml ./\nRUN npm install --global pnpm@10').and.not.match(/npm ci|npx/);
    expect(text('Dockerfile').match(/python3-venv/g)).to.have.length(2);
    expect(text('Dockerfile').match(/pip install/g)).to.have.length(1);
    expect(text('.dockerignore')).to.include('node_modules\n').and.include('.venv\n');
    unlinkSync(join(folder, 'pnpm-lock.yaml'));
    addFiles(folder, { 'bun.lock': '' });
    expect(await run('generate', 'docker')).to.include({ code: 64 }).and.property('stderr').includes('no Dockerfile is known for bun');
  });

  it('step: describes bodies by JSON Schema where there is no zod', async () => {
    const bare = makeApp({ 'package.json': PACKAGE });
    try {
      unlinkSync(join(bare, 'node_modules'));
      mkdirSync(join(bare, 'node_modules/@treadle'), { recursive: true });
      for (const name of ['treadle', '@treadle/engine']) symlinkSync(realpathSync(join(folder, 'node_modules', name)), join(bare, 'node_modules', name));
      const { code, stderr } = await runCli(['generate', 'step', 'make', '--method', 'PUT', '--language', 'js'], { cwd: bare });
      expect(code, stderr).to.equal(0);
      expect(readFileSync(join(bare, 'steps/make.step.js'), 'utf8')).to.include("bodySchema: { type: 'object', required: ['name']").and.not.include('zod');
    } finally {
      removeApp(bare);
    }
  });

  it('step: makes the rest of the name, in the language of the application', async () => {
    const { code, stdout } = await run('generate', 'step', 'ListTickets');
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: 'steps/list-tickets.step.ts: Step ListTickets\n' });
    expect(text('steps/list-tickets.step.ts')).to.equal(`import { http, step } from 'treadle';

export default step(
  {
    name: 'ListTickets',
    description: 'Answers GET /list-tickets',
    triggers: [http('GET', '/list-tickets')],
  },
  async ({ method, path }, { logger }) => {
    logger.info('request', { method, path });
    return { status: 200, body: { message: 'it works' } };
  },
);
`);
  });

  it('step: overwrites nothing, refuses what is no name and what does not belong together', async () => {
    addFiles(folder, { 'steps/mine.step.ts': 'precious' });
    for (const [args, message, hint] of [
      [['mine'], '"steps/mine.step.ts" exists already', 'choose another name, or remove the file first'],
      [['../evil'], '"../evil" cannot be the name of a Step', 'beginning with a letter'],
      [['a.b'], '"a.b" cannot be the name of a Step', 'e.g. "create-ticket"'],
      [['a', '--topic', 't'], '--topic does not go with --trigger http', 'it belongs to --trigger queue; "http" takes --method, --path'],
    ] as const) {
      const { code, stderr } = await run('generate', 'step', ...args);
      expect(code, stderr).to.equal(64);
      expect(stderr).to.include(message).and.include(hint);
    }
    expect(text('steps/mine.step.ts')).to.equal('precious');
  });

  it('step: says what is wrong with the new Step among its neighbours', async () => {
    await run('generate', 'step', 'one', '--path', '/same');
    const { code, stderr } = await run('generate', 'step', 'two', '--path', '/same');
    expect(code).to.equal(65);
    expect(stderr).to.match(/steps\/two\.step\.ts:\d+ {2}error {2}STEP_DUPLICATE_TRIGGER/);
    const bad = await run('generate', 'step', 'three', '--trigger', 'cron', '--expression', '99 * * * *');
    expect(bad.code).to.equal(65);
    expect(bad.stderr).to.include('STEP_BAD_CRON');
  });

  it('types: types topics by name and streams, so that the compiler finds what is wrong', async () => {
    addFiles(folder, {
      'steps/consumer.step.ts': `import { queue, step } from 'treadle';
import { z } from 'zod';
export default step({ name: 'Consumer', triggers: [queue('ticket.created', { input: z.object({ id: z.string(), tags: z.array(z.string()).optional() }) })] }, async () => {});
`,
      'steps/board.stream.ts': "import { z } from 'zod';\nexport const config = { name: 'board', schema: z.object({ title: z.string() }) };\n",
      'steps/producer.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Producer', triggers: [http('POST', '/')], enqueues: ['ticket.created'] }, async (_request, { enqueue, streams }) => {
  await enqueue({ topic: 'ticket.created', data: { id: 1 } });
  await streams.board.set('g', 'i', { titel: 'x' });
  return { status: 204 };
});
`,
    });
    expect(compile()).to.equal('');
    const first = await run('generate', 'types');
    expect(first).to.include({ code: 0, stdout: 'steps/treadle-types.d.ts: written\n' });
    expect(text('steps/treadle-types.d.ts')).to.include("'ticket.created': { id: string; tags?: readonly string[] };").and.include('board: { title: string };');
    const faults = compile();
    expect(faults).to.include("steps/producer.step.ts(3,").and.include("Type 'number' is not assignable to type 'string'");
    expect(faults).to.include("steps/producer.step.ts(4,").and.include('titel');
    const before = statSync(join(folder, 'steps/treadle-types.d.ts'));
    expect((await run('generate', 'types')).stdout).to.equal('steps/treadle-types.d.ts: up to date\n');
    expect(statSync(join(folder, 'steps/treadle-types.d.ts')).mtimeMs).to.equal(before.mtimeMs);
  });

  it('types: writes nothing while a Step is faulty', async () => {
    addFiles(folder, { 'steps/broken.step.ts': 'export const nonsense = ;', 'steps/treadle-types.d.ts': 'as it was' });
    const { code, stderr } = await run('generate', 'types');
    expect(code).to.equal(65);
    expect(stderr).to.include('STEP_SYNTAX');
    expect(text('steps/treadle-types.d.ts')).to.equal('as it was');
  });
});
