import {
  Adapter, type CronCapabilities, CronSlot, EngineInfo, Inject, InjectConfig, type ModuleContext, type OpenCronTable, SharedCronAdapter,
} from '@treadle/api';
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
export class NatsCronAdapter extends SharedCronAdapter {
  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {
    super();
  }

  protected async open(context: ModuleContext): Promise<OpenCronTable> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    return { table: await CronTable.open(store), leave };
  }
}
