import { treadleError, type Logger } from '@treadle/api';
import type { Engine, EnginePlan } from '@treadle/kernel';
import { expect } from 'chai';
import { AddressBook } from './address-book.js';
import { RunningEngine, type RunningParts } from './running-engine.js';
import { StopRequest } from './stop-request.js';

describe('running engine', () => {
  let stops: number;
  let written: string;
  let lines: [string, Record<string, unknown> | undefined][];
  const write = (message: string, fields?: Record<string, unknown>): void => void lines.push([message, fields]);
  const log = { debug: write, info: write, warn: write, error: write } as unknown as Logger;
  const never = new Promise<never>(() => undefined);

  beforeEach(() => {
    stops = 0;
    written = '';
    lines = [];
  });

  function running(parts: Partial<RunningParts> = {}, engine: object = {}): RunningEngine {
    const fake = {
      addresses: new Map(), bootTree: [], start: () => Promise.resolve(),
      stop: () => { stops++; return Promise.resolve({ errors: [], drained: true, ms: 1 }); }, ...engine,
    } as unknown as Engine;
    return new RunningEngine({
      engine: fake, plan: { entries: [] } as unknown as EnginePlan, book: new AddressBook(() => []), stop: new StopRequest(),
      lock: { publish: () => undefined, release: () => undefined }, log, since: 0, warn: () => undefined,
      planOptions: { cwd: '/', env: {}, builtins: [], engineVersion: '0' },
      stderr: { write: (text: string) => { written += text; } }, ...parts,
    });
  }

  it('stops again when engine.json cannot be written', async () => {
    const full = treadleError('DATA_DIR_UNUSABLE', { dir: '/d', reason: 'ENOSPC' });
    const lock = { publish: () => { throw full; }, release: () => undefined };
    const error = await running({ lock }).start().catch((reason: unknown) => reason);
    expect(error).to.equal(full);
    expect(stops).to.equal(1);
  });

  it('gives up a start that hangs as soon as a stop is asked for', async () => {
    const stop = new StopRequest();
    const started = running({ stop }, { start: () => never }).start();
    stop.ask({ exitCode: 0, signal: 'SIGTERM' });
    expect(await started).to.equal(false);
  });

  it('returns the code of what went wrong while stopping', async () => {
    const errors = [treadleError('MODULE_STOP_FAILED', { class: 'a::b::C', where: 'modules[0]', phase: 'stop', reason: 'x' })];
    const engine = running({}, { stop: () => Promise.resolve({ errors, drained: true, ms: 1 }) });
    expect(await engine.close({ exitCode: 0, signal: 'SIGTERM' })).to.equal(70);
  });

  it('does not wait for a stop that hangs when an error ended the engine', async () => {
    const error = treadleError('SERVICE_UNAVAILABLE', { service: 'x', reason: 'y' });
    expect(await running({}, { stop: () => never }).close({ exitCode: 69, error })).to.equal(69);
    expect(written).to.equal('error  SERVICE_UNAVAILABLE  x is not available: y\n');
    expect(lines[0]).to.deep.equal(['the engine ends', { code: 'SERVICE_UNAVAILABLE', problem: 'x is not available: y' }]);
  });
});
