import { EventEmitter } from 'node:events';
import { takeStrayErrors } from '@treadle/api';
import { expect } from 'chai';
import { listenToSignals } from './engine-signals.js';
import { StopRequest } from './stop-request.js';

describe('engine signals', () => {
  let source: EventEmitter;
  let stop: StopRequest;
  let now: number;
  let reloads: number;
  let deafen: () => void;
  beforeEach(() => {
    source = new EventEmitter();
    stop = new StopRequest();
    now = 0;
    reloads = 0;
    deafen = listenToSignals(source, { stop, reload: () => { reloads++; }, monotonic: () => now });
  });

  it('asks for a clean stop at the first SIGTERM', async () => {
    source.emit('SIGTERM');
    expect(await stop.requested).to.deep.equal({ exitCode: 0, signal: 'SIGTERM' });
    expect(stop.signal.aborted).to.equal(false);
  });

  for (const [second, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
    it(`leaves with ${code} at a second signal ${second}`, async () => {
      source.emit('SIGTERM');
      now = 101;
      source.emit(second);
      await stop.hurried;
      expect(stop.exitAtOnce).to.equal(code);
      expect(stop.signal.aborted).to.equal(true);
    });
  }

  it('takes the echo of a signal that npm passes on for one wish', () => {
    source.emit('SIGINT');
    now = 99;
    source.emit('SIGINT');
    expect(stop.signal.aborted).to.equal(false);
  });

  it('takes the place of a stop that was asked for only for a reason, and a reason not that of a signal', async () => {
    stop.ask({ exitCode: 0, reason: 'starting anew' });
    source.emit('SIGINT');
    stop.ask({ exitCode: 0, reason: 'starting anew' });
    expect(stop.cause).to.deep.equal({ exitCode: 0, signal: 'SIGINT' });
    expect(await stop.requested).to.deep.equal({ exitCode: 0, reason: 'starting anew' });
    expect(stop.signal.aborted).to.equal(false);
  });

  it('reloads at SIGHUP and does not stop', () => {
    source.emit('SIGHUP');
    expect(reloads).to.equal(1);
    expect(stop.cause).to.equal(undefined);
  });

  for (const event of ['uncaughtException', 'unhandledRejection']) {
    it(`stops without waiting and exits 70 at ${event}`, async () => {
      const error = new TypeError('x is not a function');
      source.emit(event, error);
      const cause = await stop.requested;
      expect(cause.exitCode).to.equal(70);
      expect(cause.error?.message).to.equal('the engine failed: TypeError: x is not a function');
      expect(cause.error?.cause).to.equal(error);
      expect(stop.signal.aborted).to.equal(true);
    });
  }

  it('goes on when somebody takes an error that nobody caught', () => {
    const letGo = takeStrayErrors((error) => error === 'mine');
    source.emit('unhandledRejection', 'mine');
    expect(stop.signal.aborted).to.equal(false);
    letGo();
    source.emit('unhandledRejection', 'mine');
    expect(stop.signal.aborted).to.equal(true);
  });

  it('keeps the first cause', async () => {
    source.emit('unhandledRejection', new Error('first'));
    source.emit('SIGTERM');
    expect((await stop.requested).exitCode).to.equal(70);
  });

  it('leaves no listener behind', () => {
    deafen();
    expect(source.eventNames()).to.deep.equal([]);
  });
});
