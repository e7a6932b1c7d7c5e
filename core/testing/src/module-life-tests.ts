import { expect } from 'chai';
import { TreadleError, type DrainContext } from '@treadle/api';
import { createLogger, systemClock } from '@treadle/kernel';
import { PROBE_MESSAGE, constructionProbe } from './construction-probe.js';
import { moduleLife, specOf, type LifeOptions, type ModuleLife } from './module-life.js';
import type { ModuleTarget } from './module-target.js';
import { isTcp, leftOver, listenBriefly, openHandles } from './open-handles.js';
import { recordedLog } from './recorded-log.js';
import type { Suite } from './runner.js';

const CLOSE_MS = 2_000;
const DRAIN_MS = 300;
/** After this a drain that does not wait for work has returned. */
const LOOK_MS = 50;
const PIECE_MS = 20;
/** How late a drain may return. */
const GRACE_MS = 700;
const MADE_TO_FAIL = 'the kit makes this init fail';

/** The tests of construction, start, stop and drain. */
export function addLifeTests(suite: Suite, target: ModuleTarget): void {
  const slow = target.tune?.slowFactor ?? 1;
  addConstructionTests(suite, target);
  addStopTests(suite, target);
  suite.test('goes through a whole life without errors', () => withLife(target, {}, async ({ engine, log }) => {
    await engine.start();
    expect(engine.health.report().status).to.be.oneOf(['ok', 'degraded', 'starting']);
    expect((await engine.stop()).errors.map(String)).to.deep.equal([]);
    expect(log.records.filter(({ level }) => level === 'error').map(({ message }) => message)).to.deep.equal([]);
  }));
  suite.test('reports only legal transitions of its status', () => withLife(target, {}, async ({ engine, log }) => {
    await engine.start();
    await engine.stop();
    expect(log.records.filter(({ message }) => message.startsWith('a status report was ignored')).map(({ fields }) => fields)).to.deep.equal([]);
  }));
  suite.test('lets two instances live side by side', () => withLife(target, {}, async (first) => {
    await withLife(target, {}, async (second) => {
      await Promise.all([first.engine.start(), second.engine.start()]);
      expect((await first.engine.stop()).errors.map(String)).to.deep.equal([]);
      expect(second.engine.health.report().status).to.be.oneOf(['ok', 'degraded', 'starting']);
      expect((await second.engine.stop()).errors.map(String)).to.deep.equal([]);
    });
  }));
  suite.test('leaves no handle open', async () => {
    // Once before: what is loaded or made at first use stays.
    await withLife(target, {}, ({ engine }) => engine.start());
    const before = openHandles();
    await withLife(target, {}, ({ engine }) => engine.start());
    expect(await leftOver(before, CLOSE_MS * slow)).to.deep.equal([]);
  });
  addDrainTests(suite, target, slow);
}

function addConstructionTests(suite: Suite, target: ModuleTarget): void {
  suite.test('does no I/O and sets no timer in its constructor', async () => {
    const probe = constructionProbe();
    await withLife(target, { plan: probe.plan }, async ({ engine, instance }) => {
      await engine.start().catch(() => undefined); // The probe ends it; what counts is what happened before.
      expect(instance()).to.be.an('object');
      expect(probe.resources).to.deep.equal([]);
    });
  });
  suite.test('stops before its init', () => withLife(target, { plan: constructionProbe().plan }, async ({ engine, instance }) => {
    const error = await failure(engine.start());
    expect(error.message).to.contain(PROBE_MESSAGE);
    expect(error.suppressed.map(String)).to.deep.equal([]);
    await instance().stop?.(stopContext());
  }));
}

function addStopTests(suite: Suite, target: ModuleTarget): void {
  suite.test('stops twice', () => withLife(target, {}, async ({ engine, instance }) => {
    await engine.start();
    await engine.stop();
    await instance().stop?.(stopContext());
  }));
  suite.test('stops after an init that failed', () => withLife(target, {
    afterInit: () => { throw new Error(MADE_TO_FAIL); },
  }, async ({ engine }) => {
    const error = await failure(engine.start());
    expect(error.code).to.equal('MODULE_INIT_FAILED');
    expect(error.message).to.contain(specOf(target).id).and.contain(MADE_TO_FAIL);
    expect(error.suppressed.map(String)).to.deep.equal([]);
  }));
  suite.test('frees its ports at once when it stops', () => withLife(target, {}, async ({ engine }) => {
    await engine.start();
    const addresses = [...engine.addresses].filter(([, address]) => isTcp(address));
    await engine.stop();
    for (const [name, address] of addresses) {
      await listenBriefly(address).catch((cause: unknown) => {
        const hint = 'close what listens there in stop(); announce() is for ports that the module itself listens on, not for those it connects to';
        throw new Error(`${address}, announced as "${name}", is still taken after the stop (${(cause as NodeJS.ErrnoException).code ?? String(cause)}): ${hint}`, { cause });
      });
    }
  }));
}

function addDrainTests(suite: Suite, target: ModuleTarget, slow: number): void {
  suite.test('returns from drain by the deadline', () => withLife(target, {}, async ({ engine, instance }) => {
    await engine.start();
    const work = await target.work?.(engine);
    work?.done.catch(() => undefined); // It is broken off: that is the point.
    expect(await endsWithin((DRAIN_MS + GRACE_MS) * slow, instance().drain?.(drainContext(DRAIN_MS))), 'the drain has returned').to.equal(true);
    await work?.finish();
  }));
  if (!target.work) return;
  suite.test('finishes running work before it has drained', () => withLife(target, {}, async ({ engine, instance }) => {
    await engine.start();
    const work = await target.work?.(engine);
    const drained = instance().drain?.(drainContext(CLOSE_MS * slow)).then(() => 'drained');
    const early = new Promise((resolve) => setTimeout(() => resolve('still draining'), LOOK_MS));
    expect(await Promise.race([drained, early])).to.equal('still draining');
    await work?.finish();
    await work?.done;
    await drained;
  }));
}

/** Waits in small pieces, which a machine that is held up makes as much longer as everything else; no timer is left when it ends. @throws what the work fails with */
async function endsWithin(ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  let hasEnded = false;
  const ended = Promise.resolve(work).finally(() => { hasEnded = true; });
  ended.catch(() => undefined); // Awaited below.
  for (let left = ms; left > 0 && !hasEnded; left -= PIECE_MS) await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
  if (hasEnded) await ended;
  return hasEnded;
}

async function withLife(target: ModuleTarget, options: LifeOptions, use: (life: ModuleLife) => Promise<unknown>): Promise<void> {
  const life = await moduleLife(target, options);
  try {
    await use(life);
  } finally {
    await life.end();
  }
}

async function failure(start: Promise<void>): Promise<TreadleError> {
  const error: unknown = await start.then(() => undefined, (reason: unknown) => reason);
  if (error instanceof TreadleError) return error;
  throw new Error(`start should have been rejected with a TreadleError, not ${String(error)}`);
}

function stopContext(): { log: DrainContext['log']; signal: AbortSignal } {
  return { log: createLogger(recordedLog(), { service: 'kit' }, 'error', systemClock), signal: new AbortController().signal };
}

function drainContext(ms: number): DrainContext {
  return { log: stopContext().log, deadline: Date.now() + ms, signal: AbortSignal.timeout(ms) };
}
