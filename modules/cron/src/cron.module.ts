import {
  AdminError, Catalog, type CronAdapter, CronSlot, type DrainContext, Inject, InjectAdapter, Invoker, type Lifecycle, Module, type ModuleContext, Telemetry,
  Triggers, type Unsubscribe,
} from '@treadle/api';
import { addCronRoutes } from './cron-admin.js';
import { CronService } from './cron-service.js';
import { CRON_EMITS } from './cron-telemetry.js';
import { CRON_TRIGGER_KIND } from './cron-trigger.js';
import { CRON_CONFIG, type CronConfig } from './cron.config.js';

/** Starts Steps at the times of cron expressions, each tick once. */
@Module<CronConfig>({
  id: 'modules::cron::CronModule',
  summary: 'Starts Steps by schedule: time zones, missed ticks, overlap, one record per tick',
  stability: 'beta',
  since: '0.1.0',
  config: CRON_CONFIG,
  slots: { adapter: { slot: CronSlot, default: 'modules::cron::adapters::Sqlite' } },
  triggerKinds: [CRON_TRIGGER_KIND],
  emits: CRON_EMITS,
})
export class CronModule implements Lifecycle {
  /** There between start and stop. */
  service: CronService | undefined;
  private unbind: Unsubscribe | undefined;

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog, @Inject(Triggers) private readonly triggers: Triggers,
    @Inject(Invoker) private readonly invoker: Invoker, @InjectAdapter('adapter') private readonly adapter: CronAdapter,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
  ) {}

  async init({ admin }: ModuleContext): Promise<void> {
    addCronRoutes(admin, () => {
      if (this.service) return this.service;
      throw new AdminError(503, 'unavailable', 'the cron module is not running');
    });
    return Promise.resolve();
  }

  async start({ clock, log }: ModuleContext): Promise<void> {
    const { catalog, invoker, adapter, telemetry } = this;
    const service = new CronService({ catalog, invoker, adapter, clock, log, telemetry });
    this.service = service;
    this.unbind = this.triggers.bind('cron', {
      bind: (step, trigger, ref) => service.bind(step, trigger, ref),
      unbind: (step, trigger, ref) => service.unbind(step, trigger, ref),
    });
    return Promise.resolve();
  }

  async drain({ signal }: DrainContext): Promise<void> {
    await this.service?.drain(signal);
  }

  async stop(): Promise<void> {
    const { service } = this;
    this.service = undefined;
    await service?.stop();
    this.unbind?.();
    this.unbind = undefined;
  }
}
