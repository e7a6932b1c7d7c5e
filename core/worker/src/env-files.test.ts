import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { envMode, withEnvFiles } from './env-files.js';
import { AppFolder } from './runner.fixture.js';

const PYTHON = fileURLToPath(new URL('../../../plugins/runtime-python/python', import.meta.url));
const TEXT = 'A=plain # said\nexport B = "two\\nlines" # x\nC=\'it is # here\'\n# D=no\nE=\nF="x=y"\nG=http://h/?a=b&c\nH=`"q"`\nI="several\nlines"\nJ=a b  \n';
const READ = { A: 'plain', B: 'two\nlines', C: 'it is # here', E: '', F: 'x=y', G: 'http://h/?a=b&c', H: '"q"', I: 'several\nlines', J: 'a b' };

describe('.env files', () => {
  let app: AppFolder;
  afterEach(() => app.remove());

  it('are read in order: of the machine over those of all, of the mode over those of every mode, the environment over all', () => {
    const names = ['.env', '.env.production', '.env.local', '.env.production.local'];
    app = new AppFolder(Object.fromEntries(names.map((name, index) => [name, names.slice(index).map((_each, at) => `V${index + at}=${name}\n`).join('')])));
    expect(withEnvFiles({ V9: 'set' }, app.root, 'production')).to.deep.equal({ V0: '.env', V1: '.env.production', V2: '.env.local', V3: '.env.production.local', V9: 'set' });
    expect(withEnvFiles({ V3: 'set' }, app.root, 'production')).to.include({ V2: '.env.local', V3: 'set' });
    expect(withEnvFiles({}, app.root, 'test')).to.deep.equal({ V0: '.env', V1: '.env', V2: '.env', V3: '.env' });
    expect([envMode({}, 'production'), envMode({ NODE_ENV: 'staging' }, 'production')]).to.deep.equal(['production', 'staging']);
  });

  it('need not be there; one that cannot be read is named', function () {
    app = new AppFolder({ '.env/bin/python': '' });
    expect(withEnvFiles({ A: '1' }, app.root, 'production')).to.deep.equal({ A: '1' });
  });

  it('say the same to Node.js and to Python', function () {
    app = new AppFolder({ '.env': TEXT });
    expect(withEnvFiles({}, app.root, 'production')).to.deep.equal(READ);
    const code = 'import json, sys; from treadle.worker.env_files import read_env_files; print(json.dumps(read_env_files(sys.argv[1], "production")))';
    const { status, stdout, error } = spawnSync('python3', ['-c', code, app.root], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: PYTHON } });
    if (error && process.env['CI'] !== 'true') this.skip();
    expect([status, JSON.parse(stdout)]).to.deep.equal([0, READ]);
  });
});
