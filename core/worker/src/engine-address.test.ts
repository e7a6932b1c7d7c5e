import { join } from 'node:path';
import { expect } from 'chai';
import { EngineAddressError, findEngine, toSocketUrl, type EngineAddressOptions } from './engine-address.js';
import { AppFolder } from './runner.fixture.js';

describe('the address of an engine', () => {
  let app: AppFolder;
  beforeEach(() => {
    app = new AppFolder();
  });
  afterEach(() => app.remove());

  const record = (addresses: object): string => JSON.stringify({ id: 'a'.repeat(16), lock: 'a.sock', addresses });
  const find = (options: Partial<EngineAddressOptions> = {}): ReturnType<typeof findEngine> => findEngine({ cwd: app.root, ...options });

  it('is taken from ENGINE_URL and ENGINE_TOKEN', async () => {
    expect(await find({ url: 'https://engine.example:8443/workers', token: 't' })).to.deep.equal({ url: 'wss://engine.example:8443/workers', token: 't' });
  });

  it('may be a ws, wss, http or https URL', () => {
    expect(['ws://h:1', 'wss://h:1', 'http://h:1', 'HTTPS://h:1', 'ws+unix:/a/b.sock:/'].map(toSocketUrl)).to.deep.equal(['ws://h:1/', 'wss://h:1/', 'ws://h:1/', 'wss://h:1/', 'ws+unix:/a/b.sock:/']);
    for (const wrong of ['h:3110', 'ftp://h', '', 'http://']) expect(() => toSocketUrl(wrong), wrong).to.throw(EngineAddressError);
  });

  it('comes from engine.json and worker.token in the data directory otherwise, the local socket first', async () => {
    app.write('data/worker.token', 'from-file\n');
    app.write('data/engine.json', record({ worker: 'ws+unix:/tmp/w.sock:/', 'worker-tcp': 'ws://127.0.0.1:4000' }));
    expect(await find()).to.deep.equal({ url: 'ws+unix:/tmp/w.sock:/', token: 'from-file' });
    app.write('data/engine.json', record({ worker: 7, 'worker-tcp': 'ws://127.0.0.1:4000' }));
    expect((await find()).url).to.equal('ws://127.0.0.1:4000/');
    app.write('other/worker.token', 'other');
    expect((await find({ dataDir: 'other', url: 'ws://h:1' })).token).to.equal('other');
    expect((await find({ dataDir: join(app.root, 'other'), url: 'ws://h:1' })).token).to.equal('other');
  });

  it('is the default port when there is no usable engine.json', async () => {
    for (const text of [undefined, '{ broken', '{}', '{"addresses":{"worker":"ws://nobody:1"}}', record({ worker: 7 })]) {
      if (text !== undefined) app.write('data/engine.json', text);
      expect((await find({ token: 't' })).url).to.equal('ws://127.0.0.1:3110');
    }
  });

  it('says which file it looked for when there is no token', async () => {
    const error = await find().then(() => undefined, (reason: Error) => reason);
    expect(error).to.be.instanceOf(EngineAddressError);
    expect(error?.message).to.equal(`no token for the engine: ENGINE_TOKEN is not set, and ${join(app.root, 'data/worker.token')} cannot be read: the file does not exist`);
    app.write('data/worker.token', '\n');
    expect(await find().then(() => '', (reason: Error) => reason.message)).to.match(/worker\.token cannot be read: it is empty$/);
  });
});
