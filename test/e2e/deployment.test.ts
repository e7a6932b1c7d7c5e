import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { ROOT } from '../architecture/workspace.js';
import { commandOf, type Instruction, parseDockerfile, type Stage } from '../support/dockerfile.js';
import { cleanEnvironment } from '../support/engine-process.js';
import { freePort } from '../support/free-port.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { StepProcess, stopAllStepProcesses } from '../support/step-process.js';
import { copyOfSample, tempFolder } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const BIN = join(ROOT, 'node_modules/.bin');
const TICKET = { title: 'The printer is on fire', priority: 'high', customer: { id: 'c1' } };

interface Service {
  readonly build: string | { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period: string;
}

const PYTHON = 'RUN apt-get update && apt-get install -y python3';

/** Makes the images of the documentation in folders: its commands are run, what installs packages is stood in for. */
describe('the containers of the documentation', function () {
  this.timeout(180_000);
  before(async function () { await requirePython(this); });
  afterEach(() => stopAllStepProcesses());

  it('one container: built, started and checked with its own commands, it serves and drains', async () => {
    const { services, context } = deployment('one-container');
    const app = services['app'] as Service;
    expect(app.ports).to.deep.equal(['3111:3111', '3112:3112']);
    expect(app.volumes).to.deep.equal(['data:/app/data']);
    const image = makeImage(context, 'Dockerfile');
    expect(existsSync(join(image.folder, 'steps')), 'the sources are not in it').to.equal(false);
    const ports = { HTTP_PORT: String(await freePort()), STREAM_PORT: '0' };
    const running = run(image, { ...environmentOf(app), ...ports, CONSOLE_PORT: '0' });
    expect(await makesTicket(`http://127.0.0.1:${ports.HTTP_PORT}`, running)).to.equal(201);
    expect(health(image, ports)).to.equal(0);
    expect(running.output).to.include('the build in dist runs');
    expect(await running.stop(), running.output).to.equal(0);
    expect(health(image, ports)).to.equal(1);
    expect(seconds(app)).to.be.greaterThan(35);
  });

  it('two containers: the Steps find the engine by ENGINE_URL and need neither it nor the command line', async () => {
    const { services, context } = deployment('two-containers');
    const [engineService, stepsService] = [services['engine'] as Service, services['steps'] as Service];
    expect(stepsService.environment).to.include({ ENGINE_URL: 'ws://engine:3110' });
    const [engine, steps] = [makeImage(context, dockerfileOf(engineService)), makeImage(context, dockerfileOf(stepsService))];
    const ports = { HTTP_PORT: String(await freePort()), WORKER_PORT: String(await freePort()), STREAM_PORT: '0', CONSOLE_PORT: '0' };
    const without = run(engine, ports);
    expect(await without.exit, 'without a token').to.equal(78);
    expect(without.output).to.include('set ENGINE_TOKEN');
    const token = { ENGINE_TOKEN: 'a-token-of-this-test' };
    // The Steps come first, as compose may have it.
    const serving = run(steps, { ...environmentOf(stepsService), ...token, ENGINE_URL: `ws://127.0.0.1:${ports.WORKER_PORT}` });
    await waitUntil('the first attempt', () => /next attempt/.test(serving.output), 30_000);
    const running = run(engine, { ...environmentOf(engineService), ...token, ...ports });
    expect(await makesTicket(`http://127.0.0.1:${ports.HTTP_PORT}`, running)).to.equal(201);
    expect(health(engine, ports)).to.equal(0);
    expect(await serving.stop(), serving.output).to.equal(0);
    expect(await running.stop(), running.output).to.equal(0);
    expect(seconds(stepsService)).to.be.greaterThan(300);
  });
});

function deployment(name: string): { readonly services: Readonly<Record<string, Service>>; readonly context: string } {
  const context = copyOfSample('tickets');
  cpSync(join(ROOT, 'docs/deploy', name), context, { recursive: true });
  addPython(context);
  const { services } = load(readFileSync(join(context, 'compose.yaml'), 'utf8')) as { services: Readonly<Record<string, Service>> };
  expect(readFileSync(join(context, '.dockerignore'), 'utf8').split('\n')).to.include.members(['node_modules', 'dist', 'data', '.env']);
  return { services, context };
}

/** As the documentation says for an application with Steps in Python: a line for each stage. */
function addPython(context: string): void {
  const [, line] = /^For Python Steps both stages need .*`(RUN .+)`/m.exec(readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8')) ?? [];
  expect(line, 'the line in the documentation').to.equal(PYTHON);
  for (const file of readdirSync(context).filter((name) => /^Dockerfile(?:\.steps)?$/.test(name))) {
    const path = join(context, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^FROM .+$/gm, `$&\n${PYTHON}`));
  }
}

const dockerfileOf = ({ build }: Service): string => (typeof build === 'string' ? 'Dockerfile' : build.dockerfile);
const seconds = ({ stop_grace_period: period }: Service): number => Number(period.replace(/s$/, ''));

/** What is known before the test: other values come from whoever runs compose. */
function environmentOf({ environment = {} }: Service): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => !value.startsWith('${')));
}

interface Image {
  readonly folder: string;
  readonly stage: Stage;
  readonly env: Readonly<Record<string, string>>;
}

function makeImage(context: string, dockerfile: string): Image {
  const stages = parseDockerfile(readFileSync(join(context, dockerfile), 'utf8'));
  const folders = new Map<string, string>();
  let image: Image | undefined;
  for (const stage of stages) {
    const folder = tempFolder();
    const env: Record<string, string> = {};
    for (const instruction of stage.instructions) carryOut(instruction, { context, folder, folders, env });
    if (stage.name !== undefined) folders.set(stage.name, folder);
    expect(Number(/^node:(\d+)-slim$/.exec(stage.base)?.[1]), stage.base).to.be.greaterThanOrEqual(20);
    image = { folder, stage, env };
  }
  expect(image?.stage.instructions.some(({ name, text }) => name === 'USER' && text === 'node'), 'does not run as root').to.equal(true);
  return image as Image;
}

interface Site {
  readonly context: string;
  readonly folder: string;
  readonly folders: ReadonlyMap<string, string>;
  readonly env: Record<string, string>;
}

function carryOut({ name, text }: Instruction, site: Site): void {
  if (name === 'COPY') copy(text, site);
  if (name === 'RUN') runCommand(text, site);
  if (name === 'ENV') Object.assign(site.env, Object.fromEntries([text.split('=', 2)]));
}

function copy(text: string, { context, folder, folders }: Site): void {
  const [, stage, what = '', to = ''] = /^(?:--from=(\S+) )?(.+) (\S+)$/.exec(text) ?? [];
  const from = stage === undefined ? context : folders.get(stage) ?? '';
  if (what === '.') {
    cpSync(from, folder, { recursive: true, filter: (path) => !/[/\\](?:node_modules|dist|data|\.env)$/.test(path) });
    return;
  }
  for (const each of what.split(' ')) {
    // Only package.json matches here: there is no lock file in the sample. A folder stands for the stage's `/app`.
    const file = each.replace('*', '').replace(/^\/app\//, '');
    cpSync(join(from, file), to.endsWith('/') ? join(folder, to, file) : join(folder, to), { recursive: true });
  }
}

/** Installing is left to npm's own tests: the packages of this repository stand in. Everything else is run as it is written. */
function runCommand(text: string, { folder, env }: Site): void {
  if (/^npm ci(?: --omit=dev)?$/.test(text)) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return;
  }
  if (`RUN ${text}` === PYTHON) return; // this machine's stands in
  const [, installed, version] = /^npm install --global (@treadle\/engine)@(\S+)$/.exec(text) ?? [];
  if (installed !== undefined) {
    expect(version).to.equal((JSON.parse(readFileSync(join(ROOT, 'core/engine/package.json'), 'utf8')) as { version: string }).version);
    return;
  }
  if (/^mkdir data && chown node:node data$/.test(text)) {
    mkdirSync(join(folder, 'data'));
    return;
  }
  execFileSync('sh', ['-c', text], { cwd: folder, env: { ...surroundings(), ...env }, stdio: 'pipe' });
}

function surroundings(): NodeJS.ProcessEnv {
  const env = cleanEnvironment();
  return { ...env, PATH: [BIN, dirname(process.execPath), env['PATH']].join(':') };
}

function run({ folder, stage, env }: Image, further: Readonly<Record<string, string>>): StepProcess {
  const [command = '', ...args] = commandOf(stage);
  return new StepProcess({ command, args, cwd: folder, env: { ...env, ...further, PATH: surroundings()['PATH'] ?? '' } });
}

/** Exit code of the health check. */
function health({ folder, stage, env }: Image, further: Readonly<Record<string, string>>): number | null {
  const [command = '', ...args] = commandOf(stage, 'HEALTHCHECK');
  return spawnSync(command, args, { cwd: folder, env: { ...surroundings(), ...env, ...further } }).status;
}

function makesTicket(url: string, running: StepProcess): Promise<number> {
  return waitUntil('a ticket', async () => {
    if (running.child.exitCode !== null) throw new Error(`it ended:\n${running.output}`);
    const answer = await request('POST', `${url}/tickets`, TICKET).catch(() => undefined);
    return answer !== undefined && ![404, 503].includes(answer.status) && answer.status;
  }, 60_000);
}
