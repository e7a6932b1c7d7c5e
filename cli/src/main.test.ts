import { expect } from 'chai';
import { makeApp, removeApp, runCli } from './cli.fixture.js';

const USAGE: readonly (readonly [string, readonly string[], string])[] = [
  ['a command that does not exist', ['chekc'],
    'error  USAGE  there is no command "chekc"\n    hint: did you mean "treadle check"?\n'],
  ['a command of a topic that does not exist', ['modules', 'lst'],
    'error  USAGE  there is no command "modules lst"\n    hint: did you mean "treadle modules list"?\n'],
  ['a command that resembles nothing', ['zzzzzzzz'],
    'error  USAGE  there is no command "zzzzzzzz"\n    hint: "treadle --help" lists the commands\n'],
  ['a command by the name that other tools give it', ['queue', 'retry'],
    'error  USAGE  there is no command "queue retry"\n    hint: did you mean "treadle queue redrive"?\n'],
  ['a short name of a command', ['queue', 'ls'],
    'error  USAGE  there is no command "queue ls"\n    hint: did you mean "treadle queue list"?\n'],
  ['a command that a topic does not have', ['stream', 'publish'],
    'error  USAGE  there is no command "stream publish"\n    hint: "treadle stream --help" lists its commands\n'],
  ['an option that does not exist', ['check', '--confg', 'x'],
    'error  USAGE  unknown option "--confg"\n    hint: did you mean "--config"?\n'],
  ['an argument too many', ['graph', 'extra'],
    'error  USAGE  "treadle graph" takes no argument "extra"\n    hint: add --help to see what the command takes\n'],
  ['a missing argument', ['modules', 'show'],
    'error  USAGE  argument "class" is missing: class ID or alias, e.g. modules::http::HttpModule\n    hint: add --help to see what the command takes\n'],
  ['several missing arguments', ['traces', 'compare'],
    'error  USAGE  arguments "a" and "b" are missing\n    hint: add --help to see what the command takes\n'],
  ['two arguments too many', ['queue', 'peek', 'A', 'b', 'c'],
    'error  USAGE  unexpected arguments "b", "c"\n    hint: add --help to see what the command takes\n'],
  ['an option without its value', ['check', '--config'],
    'error  USAGE  option "--config" needs a value\n    hint: add --help to see what the command takes\n'],
  ['a value that is none of those possible', ['create', 'x', '--language', 'cobol'],
    'error  USAGE  option "--language" must be one of ts, js, py, got "cobol"\n    hint: add --help to see what the command takes\n'],
  ['an option without one of its values', ['create', 'x', '--language'],
    'error  USAGE  option "--language" needs one of ts, js, py\n    hint: add --help to see what the command takes\n'],
  ['an option that is given twice', ['check', '--config', 'a', '--config', 'b'],
    'error  USAGE  option "--config" is given twice\n    hint: add --help to see what the command takes\n'],
  ['a text for a number', ['state', 'list', '--limit', 'x'],
    'error  USAGE  option "--limit" needs a whole number, got "x"\n    hint: add --help to see what the command takes\n'],
  ['a number that is too small', ['state', 'list', '--limit', '0'],
    'error  USAGE  option "--limit" needs a whole number of at least 1, got "0"\n    hint: add --help to see what the command takes\n'],
  ['a number that is too large', ['state', 'list', '--limit', '1001'],
    'error  USAGE  option "--limit" needs a whole number of at most 1000, got "1001"\n    hint: add --help to see what the command takes\n'],
  ['an option that needs another', ['queue', 'redrive', '--data', '1'],
    'error  USAGE  option "--data" needs "--id" as well\n    hint: add --help to see what the command takes\n'],
  ['several options that exclude one', ['queue', 'redrive', '--id', '1', '--all', '--topic', 't'],
    'error  USAGE  options "--id" and "--topic" exclude each other\n    hint: add --help to see what the command takes\n'],
  ['options that exclude each other', ['state', 'set', 'g', 'k', '1', '--ttl-ms', '5', '--revision', '1'],
    'error  USAGE  options "--ttl-ms" and "--revision" exclude each other\n    hint: add --help to see what the command takes\n'],
  ['a form beside --json', ['graph', '--json', '--mermaid'], ''],
];

describe('treadle', () => {
  let folder: string;
  before(() => { folder = makeApp(); });
  after(() => removeApp(folder));

  for (const [what, args, text] of USAGE) {
    it(`refuses ${what} with exit code 64 and no stack trace`, async () => {
      const outcome = await runCli(args, { cwd: folder });
      expect(outcome.code).to.equal(64);
      if (text !== '') expect(outcome).to.deep.equal({ code: 64, stdout: '', stderr: text });
      expect(outcome.stderr).not.to.match(/^\s+at /m);
    });
  }

  it('prints a refusal as one JSON document with --json', async () => {
    const { code, stdout, stderr } = await runCli(['check', '--confg', 'x', '--json'], { cwd: folder });
    expect(stderr).to.equal('');
    expect(JSON.parse(stdout)).to.deep.equal({
      errors: [{ severity: 'error', code: 'USAGE', message: 'unknown option "--confg"', hint: 'did you mean "--config"?' }],
      warnings: [], exitCode: 64,
    });
    expect(code).to.equal(64);
  });

  it('prints its version', async () => {
    const { code, stdout } = await runCli(['--version'], { cwd: folder });
    expect(code).to.equal(0);
    expect(stdout).to.match(/^treadle \d+\.\d+\.\d+ \(node \d+\.\d+\.\d+\)\n$/);
    expect(JSON.parse((await runCli(['--version', '--json'], { cwd: folder })).stdout)).to.have.property('name', 'treadle');
  });

  it('lists its commands and topics', async () => {
    const { code, stdout } = await runCli(['--help'], { cwd: folder });
    expect(code).to.equal(0);
    for (const command of ['check', 'create', 'dev', 'graph', 'schema', 'config', 'modules']) {
      expect(stdout).to.match(new RegExp(`^  ${command} `, 'm'));
    }
  });

  it('takes "help" as a command', async () => {
    const asked = await runCli(['help', 'modules', 'show'], { cwd: folder });
    expect(asked).to.deep.equal(await runCli(['modules', 'show', '--help'], { cwd: folder }));
    expect(asked.stdout).to.include('$ treadle modules show CLASS');
  });

  it('runs the built commands whatever NODE_ENV says', async () => {
    const { code, stderr } = await runCli(['modules', 'list'], { cwd: folder, env: { NODE_ENV: 'development' } });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
  });

  it('prints no colours where NO_COLOR is set or nobody looks', async () => {
    const { stderr } = await runCli(['chekc'], { cwd: folder, env: { NO_COLOR: '1' } });
    expect(stderr).not.to.include('\u001b');
  });
});
