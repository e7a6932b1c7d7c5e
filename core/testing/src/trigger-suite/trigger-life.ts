import { isDeepStrictEqual } from 'node:util';
import { type Call, moduleSpecOf, type Session, type StepRecord, type TriggerKindSpec, type TriggerRecord } from '@treadle/api';
import { moduleLife, type ModuleLife } from '../module-life.js';
import type { ModuleEnvironment, ModuleTarget } from '../module-target.js';
import { KIT_QUEUE, KitQueue } from './kit-queue.js';
import type { TriggerSource, TriggerTarget, Which } from './trigger-target.js';

/** How long an event may take to start a Step, and how long nothing must come before a test believes that nothing will; milliseconds. */
const ARRIVAL_MS = 10_000;
const QUIET_MS = 300;
const PAUSE_MS = 20;
/** Between two events that only find out whether the source is heard. */
const PROBE_MS = 200;

/** Steps by name, with what each of their triggers wants. */
export type KitSteps = Readonly<Record<string, readonly Which[]>>;

/** What a Step was started with, or what was stored for it. */
interface Heard {
  readonly step: string;
  readonly trigger: Which;
  readonly input: unknown;
}

/** The kind that the module under test declares. */
export function kindOf({ module, type }: TriggerTarget): TriggerKindSpec {
  const kinds = moduleSpecOf(module)?.triggerKinds ?? [];
  const kind = kinds.find((one) => one.type === type);
  if (!kind) throw new Error(`${module.name} declares no trigger kind "${type}"; it declares ${kinds.map((one) => one.type).join(', ') || 'none'}`);
  return kind;
}

/** The module as `moduleSuite` takes it. */
export function moduleTarget(target: TriggerTarget): ModuleTarget {
  const env = async (): Promise<ModuleEnvironment> => {
    const source = await target.source();
    return { yaml: yamlOf(target, source), cleanup: () => source.close() };
  };
  const { skip: _skip, ...rest } = target;
  return { ...rest, plugins: [...target.plugins, new KitQueue().plugin()], env };
}

function yamlOf({ module }: TriggerTarget, { config }: TriggerSource): string {
  const entry = JSON.stringify({ class: moduleSpecOf(module)?.id, config });
  return `engine: { implicit_modules: false }\nmodules:\n  - class: ${KIT_QUEUE}\n  - ${entry}\n`;
}

/** The life of an engine with the module under test, a source of events, and Steps that have its triggers. */
export class TriggerLife {
  readonly heard: Heard[] = [];
  readonly queue = new KitQueue();
  private life!: ModuleLife;
  private probes = 0;

  private constructor(private readonly target: TriggerTarget, readonly source: TriggerSource) {}

  /** Starts an engine and waits until all Steps hear the source. */
  static async start(target: TriggerTarget, source: TriggerSource, steps: KitSteps = {}): Promise<TriggerLife> {
    const life = new TriggerLife(target, source);
    await life.begin();
    try {
      await life.has(steps);
    } catch (error) {
      await life.end();
      throw error;
    }
    return life;
  }

  /** Replaces the Steps of the application and waits until they hear the source. */
  async has(steps: KitSteps): Promise<void> {
    this.publish(steps);
    this.life.engine.dispatch.catalog.settle(true);
    for (const [step, triggers] of Object.entries(steps)) for (const trigger of triggers) await this.hears(step, trigger);
    await this.quiet();
  }

  /** Replaces the Steps of the application. */
  publish(steps: KitSteps): void {
    this.life.engine.dispatch.catalog.publish(Object.entries(steps).map(([step, triggers]) => this.record(step, triggers)));
  }

  /** Resolves when the Step was started with the event of that text so many times. */
  async gets(step: string, trigger: Which, text: string, times = 1): Promise<void> {
    for (let left = ARRIVAL_MS * this.slow; this.count(step, trigger, text) < times; left -= PAUSE_MS) {
      if (left <= 0) throw new Error(`the event "${text}" for trigger ${trigger} did not reach Step ${step}; ${this.state()}`);
      await pause(PAUSE_MS);
    }
  }

  /** Waits until nothing has come for a while. */
  async quiet(): Promise<void> {
    for (let seen = -1; seen !== this.heard.length; await pause(QUIET_MS * this.slow)) seen = this.heard.length;
  }

  /** How often a Step got the event of that text. */
  count(step: string, trigger: Which, text: string): number {
    const input = this.source.input(trigger, text);
    return this.heard.filter((one) => one.step === step && one.trigger === trigger && isDeepStrictEqual(one.input, input)).length;
  }

  /** Stops the engine as SIGTERM does. */
  async stop(): Promise<void> {
    const { errors } = await this.life.engine.stop();
    await this.life.end();
    if (errors.length > 0) throw new Error(`the engine stopped with errors: ${errors.map(String).join('; ')}`);
  }

  /** Ends the engine without waiting for anything. */
  async end(): Promise<void> {
    await this.life.end();
  }

  /** Sends events until one comes through: a source may take a moment to know that somebody listens. */
  private async hears(step: string, trigger: Which): Promise<void> {
    const sent: string[] = [];
    for (let left = ARRIVAL_MS * this.slow; !sent.some((text) => this.count(step, trigger, text) > 0); left -= PROBE_MS) {
      if (left <= 0) throw new Error(`no event for trigger ${trigger} reached Step ${step}; ${this.state()}`);
      sent.push(`probe ${this.probes += 1}`);
      await this.source.send(trigger, sent.at(-1) as string);
      await pause(PROBE_MS);
    }
  }

  private async begin(): Promise<void> {
    const { target, source, queue } = this;
    this.life = await moduleLife({ ...target, plugins: [...target.plugins, queue.plugin()], env: () => ({ yaml: yamlOf(target, source) }) });
    const { deliveryKey } = kindOf(target);
    const keys = source.triggers.map((keys) => deliveryKey?.({ ...keys, type: target.type }));
    queue.stored = ({ step, trigger, input }) => void this.heard.push({ step, trigger: keys.indexOf(trigger.key) as Which, input });
    // As an engine whose Steps are still to come.
    this.life.engine.dispatch.catalog.settle(false);
    try {
      await this.life.engine.start();
    } catch (error) {
      await this.life.end();
      throw error;
    }
  }

  private record(step: string, triggers: readonly Which[]): StepRecord {
    const { target, source } = this;
    const config = { name: step, triggers: triggers.map((which): TriggerRecord => ({ ...source.triggers[which], type: target.type })) };
    const session = this.life.engine.dispatch.sessions.attach(this.worker(step, triggers));
    session.serve([step]);
    return { id: step, config, file: `steps/${step}.step.js`, language: 'javascript', configHash: JSON.stringify(config) };
  }

  /** Runs Steps of a kind whose module starts them itself. */
  private worker(step: string, triggers: readonly Which[]): Session {
    const send = (call: Call): void => {
      const { trigger, input } = call.request;
      this.heard.push({ step, trigger: triggers[trigger.index] as Which, input });
      call.succeed({});
    };
    return { id: `kit ${step} ${this.probes += 1}`, runtime: 'kit', version: '1', send, cancel: () => undefined };
  }

  private get slow(): number {
    return this.target.tune?.slowFactor ?? 1;
  }

  /** What may explain that something did not come. */
  private state(): string {
    const problems = this.life.log.records.filter(({ level }) => level === 'error' || level === 'warn');
    const said = problems.slice(-3).map(({ message, fields }) => `${message}${typeof fields?.['error'] === 'string' ? `: ${fields['error']}` : ''}`);
    return `${this.heard.length} others did, ${this.queue.asked.length} were given to the queue; the log says ${said.join('; ') || 'nothing'}`;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
