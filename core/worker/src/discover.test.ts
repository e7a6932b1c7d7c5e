import { expect } from 'chai';
import { contentHash } from './content-hash.js';
import { discoverStepFiles, isNodeStep, isPythonStep, roleOfFile } from './discover.js';
import { AppFolder } from './runner.fixture.js';

describe('discoverStepFiles', () => {
  it('finds the Step files of all languages in steps and src, sorted, with their content hash', async () => {
    const names = [
      'src/a.step.ts', 'src/b.step.mts', 'src/c.step.js', 'src/d/e.step.mjs', 'src/f.step.cjs', 'src/g_step.py', 'src/h.stream.ts', 'src/i.stream.js',
      'src/j_stream.py', 'src/k.stream-auth.ts', 'src/l.stream-auth.js', 'src/m_stream_auth.py', 'steps/n.step.ts', 'steps/o.middleware.js', 'steps/p_middleware.py',
      'steps/q.setup.ts', 'steps/r.setup.mjs', 'steps/s_setup.py', 'steps/t.env.ts', 'steps/u_env.py',
    ];
    const others = [
      'src/a.ts', 'src/step.ts', 'src/a.step.tsx', 'src/a.step.d.ts.bak', 'src/a.stream.mts', 'src/.a.step.ts', 'a.step.ts', 'lib/a.step.ts',
      'src/node_modules/p/a.step.ts', 'src/dist/a.step.js', 'src/.cache/a.step.ts',
      'src/vitest.setup.ts', 'src/jest.setup.js', 'steps/test_setup.py', 'steps/test_env.py',
    ];
    const app = new AppFolder(Object.fromEntries([...names, ...others].map((name) => [name, name])));
    const found = await discoverStepFiles(app.root);
    app.remove();
    expect(found).to.deep.equal(names.map((file) => ({ file, version: contentHash(file) })));
    expect(found.filter(({ file }) => isNodeStep(file))).to.have.length(14);
    expect(found.filter(({ file }) => isPythonStep(file)).map(({ file }) => file)).to.deep.equal(['src/g_step.py', 'src/j_stream.py', 'src/m_stream_auth.py', 'steps/p_middleware.py', 'steps/s_setup.py', 'steps/u_env.py']);
  });

  it('tells from its name what a file declares', () => {
    const files = ['src/a.step.ts', 'src/a_step.py', 'src/a.stream.ts', 'src/a_stream.py', 'src/a.stream-auth.js', 'src/a_stream_auth.py', 'src/a.middleware.ts', 'src/a_middleware.py', 'src/a.setup.ts', 'src/a_setup.py', 'src/a.env.ts', 'src/a_env.py'];
    expect(files.map(roleOfFile)).to.deep.equal(['step', 'step', 'stream', 'stream', 'stream-auth', 'stream-auth', 'middleware', 'middleware', 'setup', 'setup', 'env', 'env']);
  });

  it('finds nothing where there is nothing', async () => {
    const app = new AppFolder({ steps: 'a file' });
    expect(await discoverStepFiles(app.root)).to.deep.equal([]);
    app.remove();
    expect(await discoverStepFiles(app.root)).to.deep.equal([]);
  });
});
