import type { Readable } from 'node:stream';
import { OperationError } from '@treadle/api';
import { type HelloMessage, type Message, PROTOCOL_VERSION } from '@treadle/protocol';
import { startTestEngine } from '../create-test-engine.js';
import type { TestEngineOptions } from '../kit/test-engine-options.js';
import type { TestApplication } from '../kit/test-application.js';
import { COMMANDS } from './commands.js';
import { type Command, LineChannel } from './line-channel.js';
import { RemoteLanguage } from './remote-language.js';

/** How a test engine of another process begins. */
interface Start extends Omit<TestEngineOptions, 'steps' | 'setups' | 'operations' | 'now'> {
  readonly steps?: readonly string[];
  readonly now?: number;
  /** Names of those that functions of the test's process stand in for. */
  readonly operations?: readonly string[];
  /** The test's process, which runs the Steps. */
  readonly worker: { readonly protocol: number; readonly runtimeVersion: string; readonly sdkVersion: string; readonly pid: number };
}

/** Turns of the event loop after which what was sent before a question has been read. */
const TURNS = 2;

/** One test engine after the other, driven by a test in another process. */
export class RemoteKit {
  private readonly channel: LineChannel;
  private language: RemoteLanguage | undefined;
  private app: TestApplication | undefined;

  constructor(private readonly input: Readable, output: (line: string) => void) {
    this.channel = new LineChannel(output);
  }

  /** Resolves when the test's process has gone. */
  async run(): Promise<void> {
    await this.channel.read(this.input, {
      command: (command) => void this.answer(command),
      worker: (messages) => messages.forEach((message) => this.language?.take(message as Message)),
    });
    await this.stop();
  }

  private async answer({ id, do: name, args }: Command): Promise<void> {
    try {
      const value = await this.carryOut(name, args);
      this.channel.write(`"id":${id},"value":${JSON.stringify(value ?? null)}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const told = { message, ...error instanceof OperationError && { code: error.code } };
      this.channel.write(`"id":${id},"error":${JSON.stringify(told)}`);
    }
  }

  private async carryOut(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (name === 'start') return this.start(args as unknown as Start);
    if (name === 'stop') return this.stop();
    if (name === 'reset') this.language?.end();
    const run = COMMANDS[name];
    if (!run || !this.app) throw new Error(run ? 'no test engine was started' : `the test engine does not know "${name}"`);
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
    return run(this.app, args as never);
  }

  private async start({ worker, operations = [], ...options }: Start): Promise<void> {
    if (worker.protocol !== PROTOCOL_VERSION) {
      throw new Error(`this engine speaks protocol ${PROTOCOL_VERSION}, treadle.testing ${worker.protocol}; install the same version of both`);
    }
    const hello: HelloMessage = { type: 'hello', role: 'main', runtime: 'python', token: '', ...worker };
    await this.stop();
    this.language = new RemoteLanguage(this.channel, hello);
    const fakes = Object.fromEntries(operations.map((name) => [name, (args: unknown) => this.channel.operation(name, args)]));
    this.app = await startTestEngine({ ...options, operations: fakes }, this.language);
  }

  private async stop(): Promise<void> {
    const { app } = this;
    this.app = undefined;
    this.language?.end();
    await app?.stop();
  }
}
