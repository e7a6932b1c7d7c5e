import { expect } from 'chai';
import { type Clock, OperationError, OperationRunner, originFromText, originText } from './index.js';

let now = 0;
/** Each look at it takes 7 ms. */
const clock = { monotonic: () => (now += 7) } as Clock;
const refusal = (work: Promise<unknown>): Promise<Error> => work.then(() => { throw new Error('it did not fail'); }, (error: Error) => error);

describe('the operations of a port', () => {
  it('are refused before it is open', async () => {
    const runner = new OperationRunner<'get'>('state', 'StateUnavailable');
    expect(await refusal(runner.run('get', () => 1))).to.include({ code: 'StateUnavailable', message: 'state.get was refused: the state module has not started' });
  });

  it('are refused after it is closed, and go on when they began before', async () => {
    const runner = new OperationRunner<'get'>('state', 'StateUnavailable');
    runner.open(clock);
    let end = (_value: number): void => undefined;
    const running = runner.run('get', () => new Promise<number>((resolve) => { end = resolve; }));
    runner.close();
    expect(await refusal(runner.run('get', () => 1))).to.include({ code: 'StateUnavailable', message: 'state.get was refused: the state module has stopped' });
    end(1);
    expect(await running).to.equal(1);
  });

  it('fail with an OperationError whatever was thrown, and are told of', async () => {
    const runner = new OperationRunner<'get'>('state', 'StateUnavailable');
    const seen: unknown[] = [];
    runner.open(clock);
    runner.observer = (verb, { ms, error }) => seen.push([verb, ms, error?.code]);
    expect(await runner.run('get', () => 1)).to.equal(1);
    const own = new OperationError('StateConflict', 'too late');
    expect(await refusal(runner.run('get', () => Promise.reject(own)))).to.equal(own);
    const cause = new Error('disk');
    expect(await refusal(runner.run('get', () => Promise.reject(cause)))).to.include({
      code: 'StateUnavailable', message: 'state.get failed, and whether it took place is not known: disk', cause,
    });
    expect((await refusal(runner.run('get', () => { throw 'text'; }))).message).to.match(/: text$/);
    expect(seen).to.deep.equal([['get', 7, undefined], ['get', 7, 'StateConflict'], ['get', 7, 'StateUnavailable'], ['get', 7, 'StateUnavailable']]);
  });
});

describe('the origin that is kept with a change', () => {
  const origin = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 2 };

  it('is read as it was written', () => {
    expect(originFromText(originText({ ...origin, more: 1 } as typeof origin, undefined), undefined)).to.deep.equal(origin);
  });

  for (const text of [undefined, '', '{"traceId":']) {
    it(`is a trace of its own when there is ${text === undefined ? 'none' : `"${text}"`}`, () => {
      expect(originFromText(text, undefined)).to.deep.include({ sampled: false, hops: 0 });
      expect(originFromText(text, undefined).traceId).to.match(/^[0-9a-f]{32}$/);
    });
  }

  it('is a trace of its own when nothing inside caused the change', () => {
    expect(originFromText(originText(undefined, undefined), undefined).hops).to.equal(0);
  });
});
