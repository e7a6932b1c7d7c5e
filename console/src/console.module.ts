import {
  ADMIN_TOKEN_FILE, AdminCatalog, type DrainContext, EffectiveSettings, EngineInfo, Health, Inject, InjectConfig, type Lifecycle, Module, type ModuleContext, SecretToken, StepsPort, treadleError,
} from '@treadle/api';
import { Console } from './console.js';
import { configConflicts, ConsoleConfig } from './console.config.js';

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
  private running: Console | undefined;

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(AdminCatalog) private readonly catalog: AdminCatalog,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(Health) private readonly health: Health,
    @Inject(StepsPort, { optional: true }) private readonly steps: StepsPort | undefined,
    @Inject(EffectiveSettings) private readonly settings: EffectiveSettings,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {
    this.token = new SecretToken(ADMIN_TOKEN_FILE, config.auth.token);
  }

  /** @throws {CONFIG_CONFLICT} as `configConflicts`, for an engine that is not started from a checked file */
  async init({ instance: { path, at } }: ModuleContext): Promise<void> {
    for (const { key, ...conflict } of configConflicts(this.config)) {
      throw treadleError('CONFIG_CONFLICT', { path: `${path}.config.${key}`, ...conflict }, { at });
    }
    await this.token.publish(this.engine.dataDir);
  }

  async start({ clock, log, instance }: ModuleContext): Promise<void> {
    const { config, engine, catalog, health, steps, settings, token } = this;
    const console = new Console({ config, token, engine, catalog, health, steps, settings, clock, log, path: `${instance.path}.config` });
    this.running = console;
    await console.open();
  }

  async drain({ signal }: DrainContext): Promise<void> {
    await this.running?.drain(signal);
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.close();
    await this.token.withdraw();
  }
}
