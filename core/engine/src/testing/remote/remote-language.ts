import type { Call, Ctor, RuntimeAdapter, RuntimeHost, RuntimeSessionHost, StepFile, StepFileReport, WorkerStatus } from '@treadle/api';
import { EngineTurn } from '@treadle/kernel';
import { Withdrawals, WorkerConnection } from '@treadle/module-steps';
import { FIRST_CHUNKS, type HelloMessage, type Message } from '@treadle/protocol';
import { isPythonStep } from '@treadle/worker/discover';
import type { Activity } from '../kit/activity.js';
import type { TestLanguage, TestSurroundings } from '../kit/test-language.js';
import type { LineChannel } from './line-channel.js';

/** Runs handlers in the process of the test and says what they do. */
class RemoteSession extends WorkerConnection {
  private readonly calls = new Map<number, Call>();

  constructor(options: ConstructorParameters<typeof WorkerConnection>[0], private readonly activity: Activity) {
    super(options);
  }

  override send(call: Call): void {
    const { step, trigger, attempt } = call.request;
    this.calls.set(call.id, call);
    this.activity.begin(call, `Step "${step}" runs (${trigger.type}, attempt ${attempt})`);
    super.send(call);
  }

  override take(message: Message): boolean {
    this.activity.touch();
    const isTaken = super.take(message);
    if (message.type === 'result' || message.type === 'error') this.over(message.id);
    return isTaken;
  }

  /** The process of the test goes on. */
  override drain(): void {
    return undefined;
  }

  private over(id: number): void {
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (call) this.activity.end(call);
  }
}

/** Python, in the process that the channel leads to; `hello` is what it says of itself. */
export class RemoteLanguage implements TestLanguage {
  readonly isStep = isPythonStep;
  readonly alive = (): Promise<void> => this.channel.alive();
  private session: RemoteSession | undefined;

  constructor(private readonly channel: LineChannel, private readonly hello: HelloMessage) {}

  /** A message of the worker protocol from that process. */
  take(message: Message): void {
    const { session } = this;
    if (!session || session.take(message)) return;
    throw new Error(`the test's process sent what is no message: ${JSON.stringify(message).slice(0, 200)}`);
  }

  /** The test has given its handlers time to end: what still runs is not waited for. */
  end(): void {
    this.session?.close(0, 'the test engine was stopped');
    this.session = undefined;
  }

  readonly onNotServed = (): void => undefined;

  readonly runtime = (around: TestSurroundings): Ctor<RuntimeAdapter> => {
    const join = (host: RuntimeHost, registered: () => void): RemoteSession => this.join(host, around, registered);
    const end = (): void => this.end();
    return class RemoteRuntime implements RuntimeAdapter {
      readonly name = 'test';
      readonly loadsOnce = true;
      private session: RemoteSession | undefined;
      private settled = false;

      stop(): Promise<void> {
        end();
        return Promise.resolve();
      }

      serves(file: string): boolean {
        return isPythonStep(file) && around.chosen.chosen(file);
      }

      launch(host: RuntimeHost, files: readonly StepFile[]): Promise<void> {
        return new Promise((resolve) => {
          this.session = join(host, () => {
            this.settled = true;
            host.statusChanged();
            resolve();
          });
          this.update(files);
        });
      }

      update(files: readonly StepFile[]): void {
        this.session?.load(files);
      }

      workers(): readonly WorkerStatus[] {
        return this.session ? [{ worker: 0, pid: this.session.pid, state: 'ready', restarts: 0, settled: this.settled }] : [];
      }
    };
  };

  private join(host: RuntimeHost, { time, activity }: TestSurroundings, registered: () => void): RemoteSession {
    const { channel, hello } = this;
    channel.now = () => time.now();
    activity.onTouch = () => channel.tellTime();
    const session = new RemoteSession({
      id: 'test', hello, withdrawals: new Withdrawals(time), turn: new EngineTurn(time), pulse: { heard: true },
      connection: {
        write: (frame, taken) => {
          channel.write(`"worker":${frame}`);
          taken?.();
        },
        close: () => undefined, readWaiting: () => undefined,
      },
      events: {
        closed: () => undefined,
        registered: ({ reports }) => {
          joined.reports(reports as readonly StepFileReport[]);
          registered();
        },
      },
    }, activity);
    const joined: RuntimeSessionHost = host.join(session);
    session.handle = joined.handle;
    channel.write(`"chunks":${FIRST_CHUNKS}`);
    this.session = session;
    return session;
  }
}
