import { join } from 'node:path';
import { expect } from 'chai';
import { AppFolder } from './runner.fixture.js';
import { findOverlooked } from './overlooked.js';

describe('what is left out although it looks like a part of the application', () => {
  let app: AppFolder;
  afterEach(() => app.remove());

  const STEP = 'export const config = { name: "A", triggers: [] };';
  const names: readonly (readonly [written: string, meant: string])[] = [
    ['x.step.py', 'x_step.py'], ['x_step.ts', 'x.step.ts'], ['x.steps.ts', 'x.step.ts'], ['x.Step.mjs', 'x.step.mjs'], ['x.step.tsx', 'x.step.ts'],
    ['x.step.cts', 'x.step.ts'], ['x_stream.ts', 'x.stream.ts'], ['x.streams.mjs', 'x.stream.js'], ['x_stream_auth.js', 'x.stream-auth.js'],
    ['x.stream-auth.py', 'x_stream_auth.py'],
  ];
  for (const [written, meant] of names) {
    it(`names ${meant} for ${written}`, async () => {
      app = new AppFolder({ [`steps/deep/${written}`]: STEP });
      expect(await findOverlooked(app.root)).to.deep.equal([{ file: `steps/deep/${written}`, kind: 'name', meant }]);
    });
  }

  it('leaves alone what counts, what declares nothing, and what is not searched', async () => {
    app = new AppFolder({
      'steps/a.step.ts': STEP, 'steps/b_step.py': STEP, 'src/next_step.ts': 'export const next = 1;', 'src/footstep.ts': STEP,
      'src/node_modules/x_step.ts': STEP, 'src/.git/x_step.ts': STEP, 'lib/x_step.ts': STEP,
    });
    expect(await findOverlooked(app.root)).to.deep.equal([]);
  });

  it('names links to folders, and follows links to files', async () => {
    const other = new AppFolder({ 'a.step.ts': STEP });
    app = new AppFolder();
    app.link('steps/shared', other.root);
    app.link('steps/a.step.ts', join(other.root, 'a.step.ts'));
    app.link('steps/nowhere', join(other.root, 'nothing'));
    expect(await findOverlooked(app.root)).to.deep.equal([{ file: 'steps/shared', kind: 'link' }]);
    other.remove();
  });
});
