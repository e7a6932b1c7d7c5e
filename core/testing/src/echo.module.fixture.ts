import { createServer, type Server, type Socket } from 'node:net';
import {
  EngineInfo, Inject, InjectConfig, Module, bind, definePlugin, token, treadleError,
  type Binding, type ConfigSchema, type DrainContext, type Lifecycle, type ModuleContext,
} from '@treadle/api';

interface EchoConfig {
  readonly port: number;
  readonly host: string;
  readonly password?: string;
}

const CONFIG: ConfigSchema<EchoConfig> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    port: { type: 'integer', minimum: 0, maximum: 65535, default: 0, examples: [7], description: 'Port; 0 is a free one.' },
    host: { type: 'string', default: '127.0.0.1', description: 'Bind address.' },
    password: { type: 'string', 'x-secret': true, description: 'First line that a client must send.' },
  },
};

export interface EchoPort {
  readonly port: number;
}
export const EchoPort = token<EchoPort>('test.EchoPort');

/** Sends back what it gets; small, but with everything that a module has. */
@Module<EchoConfig>({
  id: 'test::echo::EchoModule', summary: 'Sends back what it gets.', stability: 'development', since: '0.1.0', config: CONFIG,
  provides: [EchoPort],
})
export class EchoModule implements Lifecycle, EchoPort {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  constructor(@InjectConfig() private readonly config: EchoConfig, @Inject(EngineInfo) private readonly info: EngineInfo) {}

  get port(): number {
    const address = this.server?.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  ports(): Binding[] {
    return [bind(EchoPort, this)];
  }

  async init(context: ModuleContext): Promise<void> {
    context.log.debug('echo is set up', { ...this.config });
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.pipe(socket);
    });
  }

  async start(): Promise<void> {
    const { server, config } = this;
    if (!server) throw treadleError('INTERNAL', { reason: 'start before init' });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(config.port, config.host, resolve);
    });
    this.info.announce('echo', `tcp://${config.host}:${this.port}`);
  }

  async drain(context: DrainContext): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server?.close(() => resolve()) ?? resolve());
    const late = new Promise<void>((resolve) => context.signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([closed, late]);
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server?.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

export default definePlugin({ name: 'test-echo', version: '1.0.0', api: '*', modules: [EchoModule] });
