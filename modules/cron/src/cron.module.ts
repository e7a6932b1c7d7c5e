import {
  AdminError, type CronAdapter, CronSlot, type DrainContext, Inject, InjectAdapter, type Lifecycle, Module, type ModuleContext, StepHub,
  Telemetry, type Unsubscribe,
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

  constructor(
    @Inject(StepHub) private readonly hub: StepHub, @InjectAdapter('adapter') private readonly adapter: CronAdapter,
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
    const service = new CronService({ hub: this.hub, adapter: this.adapter, clock, log, telemetry: this.telemetry });
    this.service = service;
    this.unbind = this.hub.bindTriggerKind('cron', {
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
