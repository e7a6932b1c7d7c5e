import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addFiles, makeApp, removeApp, runCli } from '../cli.fixture.js';

const STEP = "export const config = { name: 'Hi', triggers: [{ type: 'http', method: 'GET', path: '/hi' }] };\nexport const handler = async () => ({ status: 200 });\n";
const READING = [
  ['check'], ['doctor'], ['test'], ['routes'], ['steps'], ['graph'], ['graph', '--steps'], ['modules', 'list'], ['modules', 'show', 'modules::http::HttpModule'],
  ['config', 'print'], ['schema'], ['openapi'], ['plugins', 'list'],
];

/** Every path below a folder, without the packages. */
function paths(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => join(entry.parentPath, entry.name)).sort();
}

describe('a folder without an application', () => {
  let folder: string;
  beforeEach(() => { folder = makeApp({}, { modules: false }); });
  afterEach(() => removeApp(folder));

  for (const command of [['check'], ['routes'], ['steps'], ['graph', '--steps'], ['openapi'], ['dev'], ['start'], ['build']]) {
    it(`is what "${command.join(' ')}" names, and how to make one`, async () => {
      const { code, stderr } = await runCli(command, { cwd: folder });
      expect(code).to.equal(64);
      expect(stderr).to.equal(`error  USAGE  there is no application in ${folder}: no config.yaml, no package.json and no Step files\n`
        + '    hint: "npx treadle create my-app" makes one\n');
      expect(paths(folder)).to.deep.equal([]);
    });
  }

  for (const command of [['doctor'], ['test'], ['modules', 'list'], ['config', 'print'], ['schema']]) {
    it(`stays as it is after "${command.join(' ')}"`, async () => {
      const { stdout, stderr } = await runCli(command, { cwd: folder });
      if (command[0] === 'doctor' || command[0] === 'test') expect(stdout + stderr).to.include('"npx treadle create my-app" makes one');
      expect(paths(folder)).to.deep.equal([]);
    });
  }

  it('names the one nearby, below or above', async () => {
    addFiles(folder, { 'my-app/package.json': '{}', 'my-app/steps/hi.step.js': STEP, 'my-app/docs/a.md': '' });
    expect((await runCli(['check'], { cwd: folder })).stderr).to.include('hint: run it in my-app, where there is one');
    expect((await runCli(['dev'], { cwd: join(folder, 'my-app/docs') })).stderr).to.include('hint: run it in .., where there is one');
  });
});

describe('commands that only read', () => {
  let folder: string;
  afterEach(() => removeApp(folder));

  for (const command of READING) {
    it(`"${command.join(' ')}" writes nothing`, async () => {
      folder = makeApp({
        'package.json': '{"name":"app","type":"module"}', 'steps/hi.step.js': STEP,
        'steps/bye_step.py': "config = {'name': 'Bye', 'triggers': [{'type': 'http', 'method': 'GET', 'path': '/bye'}]}\n\n\nasync def handler(request, ctx):\n    return {'status': 200}\n",
      });
      const before = paths(folder);
      await runCli(command, { cwd: folder });
      expect(paths(folder)).to.deep.equal(before);
    });
  }
});
