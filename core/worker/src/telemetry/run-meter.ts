import type { RunnerHost } from '../runner-host.js';
import { Measurements, type Instrument } from './measurements.js';
import { currentSpan } from './run-context.js';

type Host = Pick<RunnerHost, 'measurements'>;
type Kind = Instrument['kind'];
type Options = Pick<Instrument, 'unit' | 'description'>;
type Callback = (result: { observe(...args: readonly unknown[]): void }) => unknown;

/** How often measurements are sent; milliseconds. */
const INTERVAL_MS = 1_000;

interface Observed {
  readonly instrument: Instrument;
  /** What an observable counter said last, by its labels: it tells sums, what is sent are differences. */
  readonly before: Map<string, number>;
  readonly callbacks: Set<Callback>;
}

/** OpenTelemetry's meter and its provider. What is measured goes to the engine whose handler measures, else to the latest. */
export class RunMeter {
  readonly #gathered = new Map<Host, Measurements>();
  readonly #observed = new Map<string, Observed>();
  #host: Host | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** For what is measured outside a handler. */
  use(host: Host): void {
    this.#host = host;
    if (this.#observed.size > 0) this.#plan();
  }

  getMeter(): this {
    return this;
  }

  createCounter(name: string, options?: Options): object {
    return this.#adding(name, 'counter', options);
  }

  createUpDownCounter(name: string, options?: Options): object {
    return this.#adding(name, 'updown', options);
  }

  createHistogram(name: string, options?: Options): object {
    return { record: this.#taker(name, 'histogram', options) };
  }

  createGauge(name: string, options?: Options): object {
    return { record: this.#taker(name, 'gauge', options) };
  }

  createObservableCounter(name: string, options?: Options): object {
    return this.#observable(name, 'counter', options);
  }

  createObservableUpDownCounter(name: string, options?: Options): object {
    // Its callback tells the sum itself.
    return this.#observable(name, 'gauge', options);
  }

  createObservableGauge(name: string, options?: Options): object {
    return this.#observable(name, 'gauge', options);
  }

  /** The callback may observe any of the given instruments. */
  addBatchObservableCallback(callback: (result: unknown) => unknown, instruments: readonly { readonly observed: Observed }[]): void {
    const observe = (to: { readonly observed: Observed }, value: number, attributes?: unknown): void => this.#observe(to.observed, value, attributes);
    instruments[0]?.observed.callbacks.add(() => callback({ observe }));
  }

  removeBatchObservableCallback(): void {
    // Batches live as long as the process.
  }

  /** Sends what has gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const observed of this.#observed.values()) this.#ask(observed);
    for (const [host, measurements] of this.#gathered) if (!measurements.empty) host.measurements?.(measurements.drain());
    this.#gathered.clear();
    if (this.#observed.size > 0) this.#plan();
  }

  #adding(name: string, kind: Kind, options: Options | undefined): object {
    return { add: this.#taker(name, kind, options) };
  }

  #taker(name: string, kind: Kind, options: Options = {}): (value: number, attributes?: unknown) => void {
    const instrument: Instrument = { name, kind, unit: options.unit, description: options.description };
    return (value, attributes) => this.#take(instrument, value, attributes);
  }

  #take(instrument: Instrument, value: number, attributes: unknown): void {
    const host = currentSpan()?.host ?? this.#host;
    if (!host) return;
    let measurements = this.#gathered.get(host);
    if (!measurements) this.#gathered.set(host, measurements = new Measurements());
    measurements.take(instrument, value, attributes);
    this.#plan();
  }

  #observable(name: string, kind: Kind, options: Options = {}): object {
    const key = `${kind} ${name}`;
    const instrument: Instrument = { name, kind, unit: options.unit, description: options.description };
    const observed = this.#observed.get(key) ?? { instrument, before: new Map<string, number>(), callbacks: new Set<Callback>() };
    this.#observed.set(key, observed);
    this.#plan();
    return {
      observed, addCallback: (callback: Callback) => void observed.callbacks.add(callback), removeCallback: (callback: Callback) => void observed.callbacks.delete(callback),
    };
  }

  #ask(observed: Observed): void {
    for (const callback of observed.callbacks) {
      try {
        // What a callback tells after its turn is told with the next message.
        Promise.resolve(callback({ observe: (value, attributes) => this.#observe(observed, value as number, attributes) })).catch(() => undefined);
      } catch {
        // A callback of the application that fails has nothing to tell.
      }
    }
  }

  #observe({ instrument, before }: Observed, value: number, attributes: unknown): void {
    if (instrument.kind !== 'counter') return this.#take(instrument, value, attributes);
    const key = JSON.stringify(attributes ?? {});
    const last = before.get(key) ?? 0;
    before.set(key, value);
    return this.#take(instrument, value < last ? value : value - last, attributes);
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS).unref();
  }
}
