import { expect } from 'chai';
import type { ModuleContext } from '../lifecycle.js';
import { StorePart } from './store-part.js';

const CONTEXT = {} as ModuleContext;

/** A store that counts who uses it. */
class Store {
  users = 0;

  use(): () => void {
    this.users += 1;
    return () => void (this.users -= 1);
  }
}

describe('StorePart', () => {
  it('closes the part before it leaves the store', async () => {
    const store = new Store();
    const part = new StorePart<Store, { close(): number }>('queue');
    let usersAtClose = 0;
    await part.open(CONTEXT, store, () => ({ close: () => (usersAtClose = store.users) }));
    expect([store.users, part.store]).to.deep.equal([1, store]);
    await part.close();
    await part.close();
    expect([usersAtClose, store.users]).to.deep.equal([1, 0]);
  });

  it('leaves the store when the part cannot be opened, or cannot be closed', async () => {
    const store = new Store();
    const part = new StorePart<Store, { close(): unknown }>('queue');
    const fails = (): never => { throw new Error('the disk is gone'); };
    expect(await part.open(CONTEXT, store, fails).catch((error: Error) => error.message)).to.equal('the disk is gone');
    expect(store.users).to.equal(0);
    await part.open(CONTEXT, store, () => ({ close: fails }));
    expect(await part.close().catch((error: Error) => error.message)).to.equal('the disk is gone');
    expect(store.users).to.equal(0);
  });

  it('gives nothing while it is not open', () => {
    const part = new StorePart<Store, { close(): unknown }>('queue');
    expect(() => part.part).to.throw('the queue adapter is not open').with.property('code', 'StorageClosed');
    expect(() => part.store).to.throw('the queue adapter is not open');
  });
});
