import {
  Adapter, type CronCapabilities, CronSlot, EngineInfo, Inject, InjectConfig, type ModuleContext, SharedCronAdapter,
} from '@treadle/api';
import type { NatsStore } from '../store/nats-store.js';
import { useStore } from '../store/shared-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import { CronTable } from './cron-table.js';

/** Keeps ticks and runs of cron triggers in NATS JetStream: each tick runs once, whichever of the engines does it. */
@Adapter<NatsConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Nats',
  slot: CronSlot,
  summary: 'Keeps cron runs in NATS JetStream, for several engines; each tick runs once.',
  stability: 'beta',
  since: '0.1.0',
  config: NatsConfig,
  capabilities: { durable: true, multiEngine: true },
  shares: sharedServer,
  variants: { nats: NATS_DEFAULTS },
})
export class NatsCronAdapter extends SharedCronAdapter<NatsStore> {
  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {
    super();
  }

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => CronTable.open(store));
  }
}
