import { type DeadLetter, type LogLevel, QueuePort, type QueueAdapter, type QueueMessage, type SpanRecord, StatePort, StreamPort, type Token, traceIdOf, type TriggerDelivery } from '@treadle/api';
import type { Engine } from '@treadle/kernel';
import { isTopic, type State, type StreamClients } from 'treadle';
import type { Activity } from './activity.js';
import type { Captured, CapturedEvent, CapturedMessage } from './captured.js';
import type { CronControl, TestCronRun } from './cron-control.js';
import type { FakeTime } from './fake-time.js';
import { decoded, type TestAnswer, TestHttpClient, type TestRequest } from './http-client.js';
import type { TestDeadLetter, TestEngine, TestEnqueueOptions, TestLog, TestTopic } from './test-engine.js';
import { testState, testStreams } from './test-state.js';

/** A handler that says nothing for so long while time is moved is taken to wait for that; milliseconds of real time. */
const STANDSTILL_MS = 1_000;
const IDLE_MS = 10_000;
/** While time is moved, repeated timers may run late by this part of the way. */
const SLACK = 1_000;

/** What a test engine is made of. */
export interface TestApplicationParts {
  readonly engine: Engine;
  readonly time: FakeTime;
  readonly activity: Activity;
  readonly captured: Captured;
  readonly cron: CronControl;
  readonly queue: () => QueueAdapter | undefined;
  readonly notServed: readonly string[];
  readonly root: string;
  readonly timeoutMs: number | undefined;
  /** Removes what the engine wrote. */
  readonly clear: () => void;
}

/** A running test engine. */
export class TestApplication implements TestEngine {
  readonly clock: TestEngine['clock'];
  private client: TestHttpClient | undefined;
  /** Handlers that wait for the clock or forever. */
  private readonly standing = new Set<object>();
  private readonly ports = new Map<Token<unknown>, unknown>();
  private stopping: Promise<void> | undefined;

  /** `again` makes another engine of the same application. */
  constructor(private parts: TestApplicationParts, private readonly again?: () => Promise<TestApplicationParts>) {
    this.client = clientOf(parts);
    this.clock = { now: () => this.parts.time.now(), advance: (ms) => this.advance(ms) };
  }

  get root(): string {
    return this.parts.root;
  }

  get notServed(): readonly string[] {
    return this.parts.notServed;
  }

  get state(): State {
    return testState(this.port(StatePort, 'modules::state::StateModule'));
  }

  get streams(): StreamClients {
    return testStreams(this.port(StreamPort, 'modules::stream::StreamModule'));
  }

  url(name: string): string {
    const { addresses } = this.parts.engine;
    const address = addresses.get(name);
    if (address !== undefined) return address;
    throw new Error(`nothing announced "${name}"; known: ${[...addresses.keys()].join(', ') || 'nothing'}`);
  }

  async http(method: string, path: string, request: TestRequest = {}): Promise<TestAnswer> {
    return decoded(await this.exchange(method, path, request));
  }

  /** As `http`, with the body as it came. */
  exchange(method: string, path: string, request: TestRequest): Promise<TestAnswer<Buffer>> {
    const { client } = this;
    if (!client) return Promise.reject(new Error('the configuration has no modules::http::HttpModule'));
    return this.running(`${method} ${path} waits for its answer`, () => client.request(method, path, request));
  }

  async enqueue(topic: TestTopic, data: unknown, options: TestEnqueueOptions = {}): Promise<{ messageId: string }> {
    const name = isTopic(topic) ? topic.topic : topic;
    const { at, ...rest } = options;
    const message = { topic: name, data, ...rest, ...at !== undefined && { at: at instanceof Date ? at.getTime() : at } } as QueueMessage;
    const [stored] = await this.running(`a message to "${name}" is being enqueued`, () => this.port(QueuePort, 'modules::queue::QueueModule').enqueue([message]));
    return stored as { messageId: string };
  }

  deliver(delivery: TriggerDelivery): Promise<{ messageId: string }> {
    const name = `a delivery to ${delivery.trigger.type} of "${delivery.step}" is being stored`;
    return this.running(name, () => this.port(QueuePort, 'modules::queue::QueueModule').deliver(delivery));
  }

  cron(step: string, { at, trigger }: { readonly at?: Date | number; readonly trigger?: string } = {}): Promise<TestCronRun> {
    const time = at instanceof Date ? at.getTime() : at;
    return this.running(`cron runs "${step}"`, () => this.parts.cron.run(step, { ...time !== undefined && { at: time }, ...trigger !== undefined && { trigger } }));
  }

  async untilIdle({ timeoutMs = this.parts.timeoutMs ?? IDLE_MS }: { readonly timeoutMs?: number } = {}): Promise<void> {
    const { activity } = this.parts;
    if (await activity.quiet({ limitMs: timeoutMs, of: 'all' })) return;
    const names = activity.names();
    throw new Error(`not idle after ${timeoutMs} ms: ${names.length > 0 ? names.join('; ') : 'each delivery causes another one'}`);
  }

  messages(topic?: TestTopic): readonly CapturedMessage[] {
    const name = topic === undefined || typeof topic === 'string' ? topic : topic.topic;
    return this.parts.captured.messages.filter((message) => name === undefined || message.topic === name);
  }

  logs({ step, level }: { readonly step?: string; readonly level?: LogLevel } = {}): readonly TestLog[] {
    return this.parts.captured.logs
      .filter((record) => record.stepName !== '' && (step === undefined || record.stepName === step) && (level === undefined || record.level === level))
      .map(({ stepName, message, level: own, traceId, timestamp, fields = {} }) => ({ level: own, message, step: stepName, fields: plain(fields), traceId, timestamp }));
  }

  streamEvents(stream?: string): readonly CapturedEvent[] {
    return this.parts.captured.events.filter((event) => stream === undefined || event.stream === stream);
  }

  spans(traceId?: string): readonly SpanRecord[] {
    return this.parts.captured.spans.filter((span) => traceId === undefined || span.traceId === traceId);
  }

  async deadLetters(selection: { readonly step?: string; readonly topic?: string } = {}): Promise<readonly TestDeadLetter[]> {
    const found: TestDeadLetter[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.parts.queue()?.deadLetters(selection, { limit: 1_000, cursor });
      found.push(...page?.items.map(shown) ?? []);
      cursor = page?.cursor;
    } while (cursor !== undefined);
    return found;
  }

  async reset(): Promise<void> {
    if (this.stopping || !this.again) throw new Error('the test engine was stopped');
    await this.end();
    this.parts = await this.again();
    this.client = clientOf(this.parts);
    this.standing.clear();
    this.ports.clear();
  }

  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    const { time, engine, clear } = this.parts;
    this.client?.close();
    time.goOn();
    await engine.stop();
    time.stop();
    clear();
  }

  /** Goes from one timer to the next; what each sets off comes to its end before the next one runs. */
  private async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`time moves by 0 or more milliseconds, got ${ms}`);
    const { time } = this.parts;
    await this.settle();
    const until = time.moved + ms;
    let there: boolean;
    do {
      there = time.step(until, ms / SLACK);
      await this.settle();
    } while (!there);
  }

  private async settle(): Promise<void> {
    const { activity } = this.parts;
    const running = activity.all();
    for (const work of this.standing) if (!running.has(work)) this.standing.delete(work);
    if (await activity.quiet({ limitMs: STANDSTILL_MS, of: 'silent', without: this.standing })) return;
    for (const work of activity.all()) this.standing.add(work);
  }

  private running<T>(name: string, run: () => Promise<T>): Promise<T> {
    if (this.stopping) return Promise.reject(new Error('the test engine was stopped'));
    return this.parts.activity.during(name, run);
  }

  private port<T>(token: Token<T>, module: string): T {
    const known = this.ports.get(token) ?? this.parts.engine.port(token);
    if (known === undefined) throw new Error(this.stopping ? 'the test engine was stopped' : `the configuration has no ${module}`);
    this.ports.set(token, known);
    return known as T;
  }
}

function clientOf({ engine }: TestApplicationParts): TestHttpClient | undefined {
  const address = engine.addresses.get('http');
  return address === undefined ? undefined : new TestHttpClient(address);
}

function shown({ messageId, step, topic, data, reason, deadAt, traceparent, progress: { attempts, history } }: DeadLetter): TestDeadLetter {
  const errors = history === '' ? [] : (JSON.parse(history) as TestDeadLetter['errors']);
  return { messageId, step, topic, data: JSON.parse(data) as unknown, reason, attempts, errors, deadAt, traceId: traceIdOf(traceparent) };
}

/** The engine's records are made safe: their objects have no prototype, which strict comparisons in tests would find. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
}
