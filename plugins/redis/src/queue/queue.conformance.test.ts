import { queueAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { RedisQueueAdapter } from './queue.adapter.js';

queueAdapterSuite({
  ...KIT_TARGET, adapter: RedisQueueAdapter,
  beside: (config) => ({ state: { class: 'modules::state::adapters::Redis', config }, stream: { class: 'modules::stream::adapters::Redis', config } }),
}, withServer);
