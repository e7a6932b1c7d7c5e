import { type CallAnswer, type Catalog, type Clock, type Invoker, type InvokeRequest, type Logger, StepFailure, type Timer } from '@treadle/api';
import { EngineTurn } from '@treadle/kernel';
import { fakeClock, seededRandom } from '@treadle/testing';
import { stepRecord } from '../queue-rig.fixture.js';
import { QueueService } from '../queue-service.js';
import { SimulatedStore, type StoreFault, StoreLine } from './simulated-store.fixture.js';
import { BACKOFF_MS, type SimulatedMessage, SimulationRecord } from './simulation-record.fixture.js';

export interface SimulationResult {
  readonly faults: readonly string[];
  readonly engines: number;
  readonly messages: number;
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };
const QUEUE = { backoff: { type: 'fixed', delayMs: BACKOFF_MS, jitter: 0 } };
const STEPS = [
  stepRecord('Loose', [{ type: 'queue', topic: 'loose', config: QUEUE }]),
  stepRecord('Ordered', [{ type: 'queue', topic: 'ordered', config: { ...QUEUE, type: 'fifo' } }]),
];
const LANES = 4;
const MESSAGES_EACH = 8;
const MOST_LIFE_MS = 400;
const MOST_ENGINES = 4;
const MOST_HANDLER_MS = 60;
const LAST_ENGINE_MS = 600_000;

/**
 * A queue service, one after the other, on one store and a clock that only the simulation moves. The seed decides what is sent, how long
 * everything takes, what handlers end in and when an engine dies.
 */
export async function simulate(seed: number, fault?: StoreFault): Promise<SimulationResult> {
  const simulation = new Simulation(seededRandom(seed), fault);
  await simulation.run();
  return { faults: simulation.record.faults, engines: simulation.record.engines, messages: LANES * MESSAGES_EACH };
}

class Simulation {
  private readonly clock = fakeClock(0);
  readonly record = new SimulationRecord(() => this.clock.now());
  private readonly store: SimulatedStore;
  private engine: SimulatedEngine | undefined;

  constructor(private readonly random: () => number, private readonly fault: StoreFault | undefined) {
    this.store = new SimulatedStore(fault);
  }

  async run(): Promise<void> {
    await this.store.init({ clock: this.clock });
    const lanes = Array.from({ length: LANES }, (_, lane) => this.lane(lane));
    for (let engines = 1 + this.below(MOST_ENGINES); engines > 1; engines--) {
      this.start();
      await this.clock.advance(20 + this.below(MOST_LIFE_MS));
      this.engine?.die();
      this.store.releaseClaims();
      this.record.restarted();
    }
    this.start();
    await this.clock.advance(LAST_ENGINE_MS);
    for (const send of lanes) if (!send.done) this.record.faults.push('a producer got no answer');
    const statistics = await this.store.statistics();
    const sum = (of: 'waiting' | 'delayed' | 'retrying' | 'active' | 'dead'): number => statistics.reduce((all, one) => all + one[of], 0);
    this.record.finish(sum('waiting') + sum('delayed') + sum('retrying') + sum('active'), sum('dead'));
    this.engine?.die();
    await this.store.stop();
  }

  private start(): void {
    this.engine = new SimulatedEngine({ clock: this.clock, random: this.random, store: this.store, fault: this.fault, record: this.record });
  }

  /** Sends one message after the other, each until it is acknowledged. An answer that does not come is asked for again at the next engine. */
  private lane(lane: number): { done: boolean } {
    const state = { done: false };
    const messages = Array.from({ length: MESSAGES_EACH }, (_, index) => this.message(lane, index + 1));
    const send = (index: number): void => {
      const message = messages[index];
      if (!message) {
        state.done = true;
        return;
      }
      const { engine } = this;
      let answered = false;
      const again = (): void => {
        if (answered) return;
        if (this.engine === engine) this.clock.after(5, again);
        else send(index);
      };
      if (engine) this.record.sent(message);
      engine?.enqueue(message).then(() => {
        if (this.engine !== engine) return;
        answered = true;
        this.record.acknowledged(message);
        this.clock.after(this.below(50), () => send(index + 1));
      }, (error: Error) => this.record.faults.push(`${message.id} was refused: ${error.message}`));
      this.clock.after(5, again);
    };
    this.clock.after(this.below(20), () => send(0));
    return state;
  }

  private message(lane: number, n: number): SimulatedMessage {
    const ordered = lane % 2 === 0;
    return {
      id: `${lane}.${n}`, place: ordered ? { group: `g${lane}`, n } : undefined, delayMs: !ordered && this.random() < 0.3 ? this.below(300) : 0,
      ends: Array.from({ length: this.random() < 0.3 ? 1 + this.below(3) : 0 }, () => (this.random() < 0.7 ? 'fails' : 'dies')), hopeless: this.random() < 0.05,
    };
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}

interface EngineParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: SimulatedStore;
  readonly fault: StoreFault | undefined;
  readonly record: SimulationRecord;
}

/** A queue service that can die at any moment, with everything it has set going. */
class SimulatedEngine {
  private readonly line: StoreLine;
  private readonly queue: QueueService;
  private readonly opened: Promise<void>;
  private alive = true;

  constructor(private readonly parts: EngineParts) {
    const { clock, random, store, fault } = parts;
    this.line = new StoreLine(store, { clock, random, fault });
    const dispatch = this.dispatch();
    this.queue = new QueueService({ adapter: this.line.adapter, catalog: dispatch, invoker: dispatch, clock: this.mortalClock(), turn: new EngineTurn(clock), log: SILENT, retireDelayMs: 0, maxWaiting: 1000, random });
    this.opened = this.open();
  }

  async enqueue({ id, place, delayMs }: SimulatedMessage): Promise<void> {
    await this.opened;
    const message = place ? { topic: 'ordered', messageGroupId: place.group } : { topic: 'loose' };
    await this.queue.enqueue([{ ...message, data: id, dedupeKey: id, ...(delayMs > 0 ? { delayMs } : {}) }]);
  }

  die(): void {
    this.alive = false;
    this.line.end();
  }

  private async open(): Promise<void> {
    await this.queue.open();
    this.queue.start();
    this.queue.follow([{ application: 'app', steps: STEPS, complete: true }]);
  }

  private dispatch(): Catalog & Invoker {
    const dispatch = {
      steps: () => STEPS, onChange: () => () => undefined, onServing: () => () => undefined, servers: () => 2, cancel: () => undefined,
      start: (request: InvokeRequest, answer: CallAnswer) => this.handle(request, answer),
    };
    return dispatch as unknown as Catalog & Invoker;
  }

  private handle({ input, attempt }: InvokeRequest, answer: CallAnswer): void {
    const { record, random } = this.parts;
    if (!this.alive) return;
    const [id, engine] = [input as string, record.engines];
    const how = record.began(id, attempt);
    this.mortalClock().after(Math.floor(random() * MOST_HANDLER_MS), () => {
      if (!record.ended(id, engine, how)) return;
      if (how === 'ends') answer.succeeded({});
      else if (how === 'dies') answer.failed(new StepFailure('worker_lost', 'died', { workerDied: true }));
      else answer.failed(new StepFailure('unhandled_exception', 'no', { nonRetryable: how === 'fails for good' }));
    });
  }

  /** Nothing that a dead engine has planned takes place. */
  private mortalClock(): Clock {
    const { clock } = this.parts;
    const living = (task: () => void) => (): void => { if (this.alive) task(); };
    return {
      now: () => clock.now(), monotonic: () => clock.monotonic(),
      after: (ms, task): Timer => clock.after(ms, living(task)), every: (ms, task): Timer => clock.every(ms, living(task)),
    };
  }
}
