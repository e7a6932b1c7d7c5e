import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '@treadle/testing';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { ROOT } from '../architecture/workspace.js';
import { DockerImage } from '../support/docker-image.js';
import { cleanEnvironment, cliProgram } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requirePython } from '../support/require-python.js';
import { type StepProcess, stopAllStepProcesses } from '../support/step-process.js';
import { copyOfSample } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const BIN = join(ROOT, 'node_modules/.bin');
const TICKET = { title: 'The printer is on fire', priority: 'high', customer: { id: 'c1' } };
const PYTHON = 'RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*';

interface Service {
  readonly build: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period: string;
}

/** Makes the image of the documentation in a folder: its commands are run, what installs packages is stood in for; the journey installs for real. */
describe('the containers of the documentation', function () {
  this.timeout(180_000);
  let image: DockerImage;
  before(async function () {
    await requirePython(this);
    const context = copyOfSample('tickets');
    describeImage(context);
    expect(readFileSync(join(context, '.dockerignore'), 'utf8').split('\n')).to.include.members(['node_modules', 'dist', 'data', '.env', '.git']);
    const env = cleanEnvironment();
    image = DockerImage.make(context, { env: { ...env, PATH: [BIN, dirname(process.execPath), env['PATH']].join(':') }, standIn });
  });
  afterEach(() => stopAllStepProcesses());

  it('one: started and checked with its own commands, it serves, is backed up from inside, and drains', async () => {
    const { app } = servicesOf('compose.yaml');
    expect(app?.volumes).to.deep.equal(['data:/app/data']);
    expect(image.stage.instructions.some(({ name, text }) => name === 'USER' && text === 'node'), 'does not run as root').to.equal(true);
    const ports = await portsOf();
    const running = image.run(ports);
    expect(await makesTicket(`http://127.0.0.1:${ports.PORT}`, running)).to.equal(201);
    expect(image.health(ports)).to.equal(0);
    await waitUntil('word of the build', () => running.output.includes('the build in dist runs'));
    const backup = image.run({}, [process.execPath, cliProgram(), 'backup', 'data/copy.db']);
    expect(await backup.exit, backup.output).to.equal(0);
    expect(existsSync(join(image.folder, 'data/copy.db'))).to.equal(true);
    expect(await running.stop(), running.output).to.equal(0);
    expect(image.health(ports)).to.equal(1);
    expect(secondsOf(app)).to.be.greaterThan(35);
  });

  it('two: the Steps find the engine by ENGINE_URL, and the engine serves none of its own', async () => {
    const { engine, steps } = servicesOf('compose.two-containers.yaml');
    expect(steps?.environment).to.include({ ENGINE_URL: 'ws://engine:3110' });
    const ports = { ...await portsOf(), WORKER_PORT: String(await freePort()) };
    const without = image.run({ ...environmentOf(engine), ...ports });
    expect(await without.exit, 'without a token').to.equal(78);
    expect(without.output).to.include('set ENGINE_TOKEN');
    const token = { ENGINE_TOKEN: 'a-token-of-this-test' };
    // The Steps come first, as compose may have it.
    const serving = image.run({ ...environmentOf(steps), ...token, ENGINE_URL: `ws://127.0.0.1:${ports.WORKER_PORT}` }, steps?.command);
    await waitUntil('the first attempt', () => /next attempt/.test(serving.output));
    const running = image.run({ ...environmentOf(engine), ...token, ...ports });
    expect(await makesTicket(`http://127.0.0.1:${ports.PORT}`, running)).to.equal(201);
    expect(image.health(ports)).to.equal(0);
    expect(await serving.stop(), serving.output).to.equal(0);
    expect((await request('POST', `http://127.0.0.1:${ports.PORT}/tickets`, TICKET)).status, 'nobody serves the Steps').to.equal(503);
    expect(await running.stop(), running.output).to.equal(0);
    expect(secondsOf(steps)).to.be.greaterThan(300);
  });
});

function servicesOf(file: string): Readonly<Record<string, Service | undefined>> {
  return (load(readFileSync(join(ROOT, 'docs/deploy', file), 'utf8')) as { services: Readonly<Record<string, Service>> }).services;
}

/** The sample names its ports itself; `PORT` is what the health check goes by. */
async function portsOf(): Promise<Record<'PORT' | 'HTTP_PORT' | 'STREAM_PORT' | 'CONSOLE_PORT' | 'WORKER_PORT', string>> {
  const port = String(await freePort());
  return { PORT: port, HTTP_PORT: port, STREAM_PORT: '0', CONSOLE_PORT: '0', WORKER_PORT: '0' };
}

/** As the documentation says, for an application with Steps in Python. */
function describeImage(context: string): void {
  execFileSync(process.execPath, [cliProgram(), 'generate', 'docker'], { cwd: context, env: cleanEnvironment(), stdio: 'ignore' });
  expect(readFileSync(join(context, 'Dockerfile'), 'utf8').split('\n').filter((line) => line === PYTHON), 'Python in both stages').to.have.length(2);
}

/** Installing is left to npm's own tests: the packages of this repository stand in, and this machine's Python. */
function standIn(command: string, folder: string): boolean {
  if (command === 'npm ci') symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return command === 'npm ci' || command === 'npm prune --omit=dev' || PYTHON.includes(command);
}

const secondsOf = (service: Service | undefined): number => Number(service?.stop_grace_period.replace(/s$/, ''));

/** What is known before the test: other values come from whoever runs compose. */
function environmentOf(service: Service | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(service?.environment ?? {}).filter(([, value]) => !value.startsWith('${')));
}

function makesTicket(url: string, running: StepProcess): Promise<number> {
  return waitUntil('a ticket', async () => {
    if (running.child.exitCode !== null) throw new Error(`it ended:\n${running.output}`);
    const answer = await request('POST', `${url}/tickets`, TICKET).catch(() => undefined);
    return answer !== undefined && ![404, 503].includes(answer.status) && answer.status;
  });
}
