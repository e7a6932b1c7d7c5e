import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';

const MEGABYTE = 2 ** 20;
const FIXTURE = join(import.meta.dirname, 'garbage-thread.fixture.ts');

interface Told {
  /** Most bytes of the heap and of what hangs on it, after a piece of work. */
  readonly most: number;
  readonly collections: number;
  readonly shows: string;
}

async function told(tidies: boolean): Promise<Told> {
  const thread = new Worker(`import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(FIXTURE)}); })`, { eval: true, workerData: { tidies } });
  const [message] = await once(thread, 'message') as [Told];
  await thread.terminate();
  return message;
}

describe('ThreadGarbage', function () {
  this.timeout(180_000);

  it('collects what large values leave behind, and only then', async () => {
    const [tidied, usual] = [await told(true), await told(false)];
    expect(tidied.most / MEGABYTE).to.be.below(usual.most / MEGABYTE - 20);
    expect(tidied.collections).to.be.within(5, 80);
  });

  it('leaves no function behind by which others could collect', async () => {
    expect((await told(true)).shows).to.equal('undefined');
  });
});
