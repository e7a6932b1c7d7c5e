import { expect } from 'chai';
import { requirePython } from '../support/require-python.js';
import { stopAllEngines } from '../support/engine-process.js';
import { runWay } from './src/run-way.js';
import { WAYS } from './src/ways.js';

/** The short form: a few ways of each language. */
const SHORT = [
  ['node', 'load', 'segmentation fault', 'development'], ['node', 'load', 'socket error', 'production'], ['node', 'run', 'rejected promise', 'production'],
  ['node', 'run', 'process.exit(1)', 'development'], ['node', 'run', '5 s of work', 'production'], ['node', 'run', 'kill -9 of itself', 'production'],
  ['python', 'run', 'os._exit(1)', 'production'], ['python', 'run', 'segmentation fault', 'development'], ['python', 'load', 'os._exit(1)', 'production'], ['python', 'load', 'abort', 'development'],
] as const;

/** The tests share their processors: the loop waits for them, and so does the process that takes the place of one that ended. */
const BUSY_MACHINE = { max_event_loop_delay_ms: 60_000, wait_timeout_ms: 20_000 };

describe('a Step file that misbehaves beside others', function misbehave() {
  this.timeout(300_000);
  afterEach(stopAllEngines);

  for (const [language, when, name, mode] of SHORT) {
    it(`fails none of their requests, is named, and leaves no process when the engine is killed: ${name} (${language}, ${when}, ${mode})`, async function short() {
      await requirePython(this);
      const way = WAYS.find((each) => each.language === language && each.when === when && each.name === name);
      if (!way) throw new Error(`there is no way "${name}"`);
      const { answered, failed, lost, namedMs, goneMs } = await runWay(way, mode, BUSY_MACHINE);
      expect(answered).to.be.greaterThan(10);
      expect(failed).to.deep.equal([]);
      if (when === 'load') expect(lost).to.equal(0);
      expect(namedMs).to.be.a('number');
      expect(goneMs, 'all were gone').to.be.a('number');
    });
  }
});
