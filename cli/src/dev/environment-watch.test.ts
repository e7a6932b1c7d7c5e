import { join } from 'node:path';
import { expect } from 'chai';
import { locateApplication } from '../application/application.js';
import { addFiles, makeApp, removeApp, until } from '../cli.fixture.js';
import { EnvironmentWatch } from './environment-watch.js';

describe('environment files that are watched', () => {
  let folder = '';
  let watched: EnvironmentWatch;
  beforeEach(async () => {
    folder = makeApp({ 'config.yaml': 'modules: []\n', '.env': 'A=1\nB=1\n' });
    watched = await EnvironmentWatch.start(locateApplication(folder, join(folder, 'config.yaml')), { GIVEN: 'x' });
  });
  afterEach(() => {
    watched.stop();
    removeApp(folder);
  });

  it('are told with what is another now', async () => {
    expect(watched.take()).to.include({ A: '1', B: '1', GIVEN: 'x' });
    const next = watched.next();
    addFiles(folder, { '.env': 'A=2\nC=1\n' });
    expect(await next).to.deep.equal(['A', 'B', 'C']);
  });

  it('are told at once when they were saved while nobody waited', async () => {
    watched.take();
    const first = watched.next();
    addFiles(folder, { '.env': 'A=2\nB=1\n' });
    expect(await first).to.deep.equal(['A']);
    addFiles(folder, { '.env': 'A=2\nB=2\n' });
    await until(() => watched['now']['B'] === '2');
    expect(await watched.next()).to.deep.equal(['B']);
  });

  it('are told once: what was taken meanwhile is no news', async () => {
    watched.take();
    const first = watched.next();
    addFiles(folder, { '.env': 'A=2\nB=1\n' });
    await first;
    addFiles(folder, { '.env': 'A=2\nB=2\n' });
    await until(() => watched['now']['B'] === '2');
    expect(watched.take()).to.include({ B: '2' });
    const next = watched.next();
    addFiles(folder, { '.env': 'A=3\nB=2\n' });
    expect(await next).to.deep.equal(['A']);
  });
});
