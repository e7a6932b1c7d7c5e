import { expect } from 'chai';
import { ENGINE_FLAGS, parseEngineArguments } from './engine-arguments.js';

describe('engine arguments', () => {
  const understood: [string, string[], object][] = [
    ['nothing runs the default configuration', [], { action: 'run', watch: false }],
    ['--config names the file', ['--config', 'a.yaml'], { action: 'run', watch: false, configFile: 'a.yaml' }],
    ['--config=file does too, even with a dash', ['--config=-a.yaml'], { action: 'run', watch: false, configFile: '-a.yaml' }],
    ['-c is short for --config', ['-c', 'a.yaml'], { action: 'run', watch: false, configFile: 'a.yaml' }],
    ['--check checks', ['--check', '--config', 'a.yaml'], { action: 'check', watch: false, configFile: 'a.yaml' }],
    ['--print-config prints', ['--print-config'], { action: 'print-config', watch: false }],
    ['--watch watches', ['--config', 'a.yaml', '--watch'], { action: 'run', watch: true, configFile: 'a.yaml' }],
    ['--version beats what else is there', ['--version', '--check'], { action: 'version', watch: false }],
    ['--help beats --version', ['-v', '-h'], { action: 'help', watch: false }],
    ['-- ends the options', ['--check', '--'], { action: 'check', watch: false }],
  ];
  for (const [name, argv, expected] of understood) {
    it(name, () => expect(parseEngineArguments(argv)).to.deep.equal({ kind: 'arguments', ...expected }));
  }

  const refused: [string[], object][] = [
    [['--confg', 'a.yaml'], { message: 'unknown option "--confg"', unknownFlag: '--confg' }],
    [['-x'], { message: 'unknown option "-x"', unknownFlag: '-x' }],
    [['--__proto__'], { message: 'unknown option "--__proto__"', unknownFlag: '--__proto__' }],
    [['--no-check'], { message: 'unknown option "--no-check"', unknownFlag: '--no-check' }],
    [['--config'], { message: 'option "--config" needs a file' }],
    [['--config', '--check'], { message: 'option "--config" needs a file' }],
    [['--config='], { message: 'option "--config" needs a file' }],
    [['--config', 'a', '--config', 'b'], { message: 'option "--config" is given twice' }],
    [['--check=yes'], { message: 'option "--check" takes no value, got "yes"' }],
    [['config.yaml'], { message: 'unexpected argument "config.yaml"', hint: 'did you mean "--config config.yaml"?' }],
    [['start'], { message: 'unexpected argument "start"' }],
    [['--', '--check'], { message: 'unexpected argument "--check"' }],
    [['--check', '--print-config'], { message: 'options "--check" and "--print-config" exclude each other' }],
    [['--watch'], { message: 'option "--watch" needs "--config": there is no file to watch' }],
  ];
  for (const [argv, expected] of refused) {
    it(`refuses ${argv.join(' ')}`, () => expect(parseEngineArguments(argv)).to.deep.equal({ kind: 'problem', ...expected }));
  }

  it('names every flag as it is typed', () => {
    expect(ENGINE_FLAGS).to.deep.equal(['--config', '--check', '--print-config', '--watch', '--version', '--help']);
  });
});
