import {
  Adapter, type CronCapabilities, CronSlot, InjectConfig, type ModuleContext, type OpenCronTable, SharedCronAdapter, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { REDIS_DEFAULTS, RedisConfig, sharedDatabase } from '../store/store.config.js';
import { RedisTransfer } from '../transfer/redis-transfer.js';
import { CronTable } from './cron-table.js';
import { cronTransfer } from './cron-transfer.js';

/** Keeps ticks and runs of cron triggers in Redis: each tick runs once, whichever of the engines does it. */
@Adapter<RedisConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Redis',
  slot: CronSlot,
  summary: 'Keeps cron runs in Redis, for several engines; each tick runs once.',
  stability: 'beta',
  since: '0.1.0',
  config: RedisConfig,
  capabilities: { durable: true, multiEngine: true },
  shares: sharedDatabase,
  variants: { redis: REDIS_DEFAULTS },
})
export class RedisCronAdapter extends SharedCronAdapter {
  constructor(@InjectConfig() private readonly config: RedisConfig) {
    super();
  }

  protected async open(context: ModuleContext): Promise<OpenCronTable> {
    const { store, leave } = await useStore(context, this.config);
    return { table: await CronTable.open(store), leave };
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return RedisTransfer.open(context, this.config, cronTransfer);
  }
}
