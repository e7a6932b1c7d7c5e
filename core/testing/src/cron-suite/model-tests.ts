import { expect } from 'chai';
import fc from 'fast-check';
import type { CronRun, CronRunStatus } from '@treadle/api';
import { CronModel } from './cron-model.js';
import { type CronTests, type CronUnderTest, KEY, LEASE_MS, runOf } from './cron-under-test.js';

type Command = fc.AsyncCommand<CronModel, CronUnderTest>;

/* Few, so that operations meet. */
const tick = fc.integer({ min: 1, max: 4 }).map((number) => number * 1_000);
const user = fc.integer({ min: 0, max: 1 });
const status = fc.constantFrom<CronRunStatus>('succeeded', 'failed', 'abandoned', 'running');

const ACTS: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(tick, user, fc.boolean(), fc.boolean()).map(([at, by, skipped, alone]) => command(`${by} claims ${at}${skipped ? ' as skipped' : ''}${alone ? ' alone' : ''}`, async (model, cron) => {
    const [run, rule] = [runOf(at, skipped ? { status: 'skipped' } : {}), { unlessRunning: alone }];
    expect(await cron.outcome(run, rule, cron.user(by))).to.equal(model.claim(run, by, LEASE_MS, rule));
  })),
  fc.tuple(tick, user, status).map(([at, by, end]) => withRun(`${by} ends ${at} as ${end}`, at, async (run, model, cron) => {
    const ended: CronRun = { ...run, status: end, ...end === 'running' ? {} : { durationMs: at, error: end } };
    await cron.user(by).finish([ended]);
    model.finish(ended, by);
  })),
  fc.tuple(tick, user, fc.integer({ min: 0, max: 1 })).map(([at, by, back]) => withRun(`${by} takes ${at} over`, at, async (run, model, cron) => {
    const seen = { ...run, attempt: run.attempt - back };
    expect(await cron.user(by).takeOver(seen, LEASE_MS)).to.deep.equal(model.takeOver(seen, by, LEASE_MS));
  })),
  fc.tuple(tick, user).map(([at, by]) => withRun(`${by} renews ${at}`, at, async (run, model, cron) => {
    expect(await cron.user(by).renew([run.id], LEASE_MS)).to.deep.equal(model.renew(at, by, LEASE_MS) ? [run.id] : []);
  })),
  fc.constantFrom(1, 7, 16).map((seconds) => command(`wait ${seconds} s`, async (model, cron) => {
    await cron.clock.advance(seconds * 1_000);
    model.now += seconds * 1_000;
  })),
];

const EVENTS: readonly fc.Arbitrary<Command>[] = [
  fc.constantFrom<readonly [boolean, number?]>([true], [false], [true, 2_000], [true, 3_500]).map(([paused, until]) => command(`paused: ${paused} until ${until}`, async (model, cron) => {
    await cron.adapter.setPaused(KEY, paused, model.now, until);
    model.pause(paused, model.now, until);
  })),
  fc.constant(command('restart', async (model, cron) => {
    await cron.restart();
    model.restart(cron.capabilities.durable);
  })),
];

/** What changes much comes seldom. */
const COMMANDS = [...ACTS, ...ACTS, ...ACTS, ...EVENTS];

/** Random sequences of two users, with waits and restarts, against the reference model. */
export function modelTests({ suite, withFresh }: CronTests, run: { seed: number; runs: number }): void {
  suite.test(`does what the model does, whatever comes in whatever order (seed ${run.seed})`, () =>
    fc.assert(fc.asyncProperty(fc.commands([...COMMANDS], { maxCommands: 60, size: 'max' }), (commands) =>
      withFresh((cron) => fc.asyncModelRun(() => ({ model: new CronModel(), real: cron }), commands))),
    { seed: run.seed, numRuns: run.runs }));
}

/** Everything that can be asked is asked after each command. */
function command(name: string, run: (model: CronModel, cron: CronUnderTest) => Promise<void>): Command {
  return {
    check: () => true, toString: () => name,
    run: async (model, cron) => {
      await cron.adapter.schedules([KEY], model.now);
      model.see(model.now);
      await run(model, cron);
      expect(await cron.second.schedules([KEY], model.now)).to.deep.equal([{ ...KEY, ...model.see(model.now) }]);
      expect(await cron.adapter.orphans()).to.deep.equal(model.orphans());
      expect(await cron.second.running(KEY)).to.deep.equal(model.running());
      expect(await cron.adapter.runs(KEY, 100)).to.deep.equal(model.runs());
    },
  };
}

function withRun(name: string, at: number, act: (run: CronRun, model: CronModel, cron: CronUnderTest) => Promise<void>): Command {
  return command(name, async (model, cron) => {
    const run = model.at(at);
    if (run) await act(run, model, cron);
  });
}
