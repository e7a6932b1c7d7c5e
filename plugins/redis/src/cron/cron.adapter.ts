import {
  Adapter, type CronCapabilities, CronSlot, InjectConfig, type ModuleContext, SharedCronAdapter, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
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
export class RedisCronAdapter extends SharedCronAdapter<RedisStore> {
  constructor(@InjectConfig() private readonly config: RedisConfig) {
    super();
  }

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.config), (store) => CronTable.open(store));
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return RedisTransfer.open(context, this.config, cronTransfer);
  }
}
