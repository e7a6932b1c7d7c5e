import {
  AdminCatalog, type DrainContext, EngineInfo, Health, Inject, InjectConfig, isLoopback, type Lifecycle, Module, type ModuleContext, SecretToken,
  StepsPort, treadleError, urlHost,
} from '@treadle/api';
import { AdminApp } from './api/admin-app.js';
import { configConflicts, ConsoleConfig } from './console.config.js';
import { AllowedHosts } from './server/allowed-hosts.js';
import { ConsoleServer } from './server/console-server.js';
import { RequestGuard } from './server/request-guard.js';

interface Running {
  readonly app: AdminApp;
  readonly server: ConsoleServer;
}

/** Serves the admin API: what operators and the CLI see and do. */
@Module<ConsoleConfig>({
  id: 'modules::console::ConsoleModule',
  summary: 'Admin API on its own port, for operators and the CLI',
  stability: 'beta',
  since: '0.1.0',
  config: ConsoleConfig,
  conflicts: configConflicts,
})
export class ConsoleModule implements Lifecycle {
  private readonly token: SecretToken;
  private running: Running | undefined;

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(AdminCatalog) private readonly catalog: AdminCatalog,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(Health) private readonly health: Health,
    @Inject(StepsPort, { optional: true }) private readonly steps: StepsPort | undefined,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {
    this.token = new SecretToken('admin.token', config.auth.token);
  }

  /** @throws {CONFIG_CONFLICT} as `configConflicts`, for an engine that is not started from a checked file */
  async init({ instance: { path, at } }: ModuleContext): Promise<void> {
    for (const { key, ...conflict } of configConflicts(this.config)) {
      throw treadleError('CONFIG_CONFLICT', { path: `${path}.config.${key}`, ...conflict }, { at });
    }
    await this.token.publish(this.engine.dataDir);
  }

  async start({ clock, log, instance }: ModuleContext): Promise<void> {
    const { config, catalog, engine, health, steps } = this;
    const { host } = config;
    const app = new AdminApp({ catalog, engine, health, steps, clock, log });
    const guard = (port: number): RequestGuard => new RequestGuard(new AllowedHosts({ host, port, names: config.allowed_hosts }), this.token, isLoopback(host));
    const server = new ConsoleServer({ host, port: config.port, path: `${instance.path}.config`, guard, onRequest: app.handle });
    this.running = { app, server };
    const port = await server.listen();
    engine.announce('console', `http://${urlHost(reachable(host))}:${port}`);
  }

  async drain({ signal }: DrainContext): Promise<void> {
    await this.running?.app.drain(signal);
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.app.close();
    await running?.server.close();
    await this.token.withdraw();
  }
}

/** An address that stands for all of them is none to connect to. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
