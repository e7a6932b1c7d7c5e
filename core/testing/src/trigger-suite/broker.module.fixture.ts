import {
  Catalog, definePlugin, DELIVERY_CONFIG, Inject, InjectConfig, type Lifecycle, Module, OperationError, type Plugin, QueuePort, type StepId, Triggers, type Unsubscribe,
} from '@treadle/api';
import type { TriggerSource, TriggerTarget } from './trigger-target.js';

/** Ways for a module to break what the suite asks. */
export type Flaw =
  | 'starts twice' | 'starts everybody' | 'is out of order' | 'knows only its first Steps' | 'forgets nobody' | 'runs on' | 'stops at a Step that is gone'
  | 'drops what is refused' | 'makes a new key each time' | 'acknowledges first' | 'acknowledges what comes before the Steps' | 'describes nothing' | 'has one key';

interface Message {
  readonly id: string;
  readonly topic: string;
  readonly text: string;
}

/** A broker in memory: keeps what its one client has not acknowledged. */
class Broker {
  private waiting: Message[] = [];
  private client: ((message: Message) => Promise<void>) | undefined;
  private busy = false;
  private count = 0;

  send(topic: string, text: string): void {
    this.waiting.push({ id: `m${this.count += 1}`, topic, text });
    void this.pump();
  }

  connect(client: (message: Message) => Promise<void>): Unsubscribe {
    this.client = client;
    this.busy = false;
    void this.pump();
    return () => {
      if (this.client === client) this.client = undefined;
    };
  }

  private async pump(): Promise<void> {
    const { client } = this;
    const message = this.waiting[0];
    if (this.busy || !client || !message) return;
    this.busy = true;
    const taken = await client(message).then(() => true, () => false);
    if (this.client !== client) return;
    if (taken) this.waiting = this.waiting.filter((one) => one !== message);
    this.busy = false;
    setTimeout(() => void this.pump(), taken ? 0 : 20);
  }
}

const brokers = new Map<string, Broker>();
const pause = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms).unref(); });

class BrokerModule implements Lifecycle {
  protected readonly flaw: Flaw | undefined;
  private readonly wanted = new Map<string, Set<StepId>>();
  private unbind: Unsubscribe | undefined;
  private cut: Unsubscribe | undefined;
  private over = false;
  private begun = false;

  constructor(
    private readonly config: { readonly broker: string }, private readonly triggers: Triggers, private readonly catalog: Catalog, private readonly queue: QueuePort,
  ) {}

  async start(): Promise<void> {
    this.unbind = this.triggers.bind('acme.tick', {
      bind: (step, { topic }) => {
        if (this.flaw === 'knows only its first Steps' && this.begun && !this.wanted.has(topic as string)) return;
        this.wanted.set(topic as string, (this.wanted.get(topic as string) ?? new Set()).add(step.id));
      },
      unbind: (step, { topic }) => {
        if (this.flaw !== 'forgets nobody') this.wanted.get(topic as string)?.delete(step.id);
      },
    });
    this.cut = brokers.get(this.config.broker)?.connect((message) => this.received(message));
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    if (this.flaw === 'runs on') return Promise.resolve();
    this.over = true;
    this.unbind?.();
    this.cut?.();
    return Promise.resolve();
  }

  private async received(message: Message): Promise<void> {
    while (!this.catalog.settled && this.flaw !== 'acknowledges what comes before the Steps') await pause(5);
    this.begun = true;
    const topics = this.flaw === 'starts everybody' ? [...this.wanted.keys()] : [message.topic];
    if (this.flaw === 'is out of order') {
      void pause(Math.random() * 50).then(() => this.give(message, topics));
      return;
    }
    if (this.flaw === 'acknowledges first') void this.give(message, topics);
    else await this.give(message, topics);
  }

  private async give(message: Message, topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      const steps = [...this.wanted.get(topic) ?? []];
      if (this.flaw === 'starts twice') steps.push(...steps);
      if (this.flaw === 'stops at a Step that is gone') for (const step of steps) await this.deliver(step, topic, message);
      else await Promise.all(steps.map((step) => this.deliver(step, topic, message)));
    }
  }

  private async deliver(step: StepId, topic: string, { id, text }: Message): Promise<void> {
    for (let attempt = 1; !this.over; attempt += 1) {
      const dedupeKey = this.flaw === 'makes a new key each time' ? `${id} ${attempt}` : id;
      try {
        await this.queue.deliver({ step, trigger: { type: 'acme.tick', key: this.flaw === 'has one key' ? 'one' : topic }, input: { text }, dedupeKey });
        return;
      } catch (error) {
        const isGone = error instanceof OperationError && error.code === 'NoSuchTrigger';
        if (isGone && this.flaw !== 'stops at a Step that is gone') return;
        if (isGone) return pause(60_000);
        if (this.flaw === 'drops what is refused') return;
      }
      await pause(20);
    }
    throw new Error('it stops');
  }
}

let number = 0;

/** A module with one flaw, or none, and brokers in memory. */
export function brokerTarget(flaw?: Flaw): TriggerTarget {
  class Flawed extends BrokerModule {
    protected override readonly flaw = flaw;
  }
  InjectConfig()(Flawed, undefined, 0);
  Inject(Triggers)(Flawed, undefined, 1);
  Inject(Catalog)(Flawed, undefined, 2);
  Inject(QueuePort)(Flawed, undefined, 3);
  const isBare = flaw === 'describes nothing';
  Module({
    id: 'acme::tick::TickModule', summary: 'Starts Steps for messages', stability: 'development', since: '0.1.0',
    config: { type: 'object', additionalProperties: false, properties: { broker: { type: 'string', default: '', description: 'its name' } } },
    triggerKinds: [{
      type: 'acme.tick', summary: 'a message',
      schema: { type: 'object', additionalProperties: isBare, properties: { topic: { type: 'string', ...!isBare && { description: 'which messages' } }, config: DELIVERY_CONFIG } },
      deliveryKey: ({ topic }) => (flaw === 'has one key' ? 'one' : topic as string),
    }],
  })(Flawed);
  const plugin: Plugin = definePlugin({ name: 'acme-tick', version: '1.0.0', api: '*', modules: [Flawed] });
  return { module: Flawed, plugins: [plugin], type: 'acme.tick', keeps: true, tune: { slowFactor: flaw ? 0.1 : 1 }, source: async () => Promise.resolve(memorySource()) };
}

function memorySource(): TriggerSource {
  const broker = new Broker();
  const name = `broker ${number += 1}`;
  brokers.set(name, broker);
  return {
    config: { broker: name }, triggers: [{ topic: 'a' }, { topic: 'b' }],
    send: async (which, text) => Promise.resolve(broker.send(which === 0 ? 'a' : 'b', text)),
    input: (_which, text) => ({ text }),
    close: async () => Promise.resolve(void brokers.delete(name)),
  };
}
