import type { CronAdapter, CronRun } from '@treadle/api';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { NATS_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { startNats } from '../testing/server.fixture.js';

/** Kills of the server; the long form sets it. */
const ROUNDS = Number(process.env['TREADLE_NATS_KILLS'] ?? 2);
const LEASE_MS = 60_000;
const KEY = { step: 'report', trigger: '* * * * * * UTC' };
const SECOND = 1_000;
/** Runs of a trigger that the store keeps at least. */
const KEPT = 100;

/** One engine that goes through the ticks, and what the store acknowledged. */
class Claimer {
  readonly claimed = new Set<number>();
  readonly finished = new Set<number>();

  constructor(private readonly name: string, private readonly cron: CronAdapter) {}

  async goOn(isOver: () => boolean): Promise<void> {
    for (let tick = 1; !isOver(); tick += 1) await this.take(tick).catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }

  private async take(tick: number): Promise<void> {
    const run: CronRun = {
      ...KEY, id: `${this.name}-${tick}`, scheduledAt: tick * SECOND, firedAt: tick * SECOND, attempt: 1, manual: false, missed: false, status: 'running', traceId: 't',
    };
    const [outcome] = await this.cron.claim([run], LEASE_MS);
    if (outcome !== 'claimed') return;
    this.claimed.add(tick);
    await this.cron.finish([{ ...run, status: 'succeeded', durationMs: 1 }]);
    this.finished.add(tick);
  }
}

withServer.describe('cron on a NATS server that is killed under load', () => {
  withServer.it(`gives no tick to two engines, and forgets no claim and no end that was acknowledged, over ${ROUNDS} kills`, async () => {
    const server = await startNats();
    const engines = await Promise.all([1, 2].map(() => startEngine<CronAdapter>('cron', { ...NATS_DEFAULTS, url: server.url })));
    const claimers = engines.map(({ adapter }, index) => new Claimer(`engine${index}`, adapter));
    const claims = (): number => claimers.reduce((sum, { claimed }) => sum + claimed.size, 0);
    let ended = false;
    try {
      const working = claimers.map((claimer) => claimer.goOn(() => ended));
      for (let round = 0; round <= ROUNDS; round += 1) {
        const enough = claims() + 50;
        await eventually('acknowledged claims', claims, (count) => count >= enough, 60_000);
        if (round === ROUNDS) break;
        await server.crash();
        await server.resume();
      }
      ended = true;
      await Promise.all(working);
      await check(claimers, engines[0]!.adapter);
    } finally {
      ended = true;
      await Promise.all(engines.map((engine) => engine.stop()));
      await server.stop();
    }
  });
});

async function check(claimers: readonly Claimer[], cron: CronAdapter): Promise<void> {
  const claimed = claimers.flatMap((claimer) => [...claimer.claimed]);
  expect(claimed.length, 'ticks that two engines have').to.equal(new Set(claimed).size);
  const again: number[] = [];
  for (const tick of claimed) {
    const run = { ...KEY, id: `again-${tick}`, scheduledAt: tick * SECOND, firedAt: 0, attempt: 1, manual: false, missed: false, status: 'skipped', traceId: 't' } as const;
    if ((await cron.claim([run], LEASE_MS))[0] === 'claimed') again.push(tick);
  }
  expect(again, 'forgotten claims').to.deep.equal([]);
  const running = new Set((await cron.running(KEY)).map(({ scheduledAt }) => scheduledAt / SECOND));
  expect(claimers.flatMap(({ finished }) => [...finished].filter((tick) => running.has(tick))), 'forgotten ends').to.deep.equal([]);
  expect(await cron.runs(KEY, KEPT)).to.have.length(KEPT);
}
