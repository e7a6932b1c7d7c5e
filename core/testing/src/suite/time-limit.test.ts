import { createServer } from 'node:net';
import { expect } from 'chai';
import { withinLimit } from './time-limit.js';

describe('the time limit of a kit', () => {
  it('fails a test that does not end by its name, with what is open', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const error = await withinLimit('renews leases', () => new Promise<void>(() => undefined), 20).catch((failure: unknown) => failure as Error);
    server.close();
    expect((error as Error).message).to.match(/^"renews leases" did not end within 0\.02 s; open are: .*TCPServerWrap \(1\)/);
  });

  it('lets one pass or fail by itself', async () => {
    const outcome = (run: () => Promise<void> | void): Promise<string> => withinLimit('ends', run, 60_000).then(() => 'passed', (failure: Error) => failure.message);
    expect(await outcome(() => undefined)).to.equal('passed');
    expect(await outcome(() => Promise.reject(new Error('no')))).to.equal('no');
    expect(await outcome(() => { throw new Error('at once'); })).to.equal('at once');
  });
});
