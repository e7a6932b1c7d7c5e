import { queueAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { PostgresQueueAdapter } from './queue.adapter.js';

queueAdapterSuite({
  ...KIT_TARGET, adapter: PostgresQueueAdapter,
  beside: (config) => ({ state: { class: 'modules::state::adapters::Postgres', config }, stream: { class: 'modules::stream::adapters::Postgres', config } }),
}, withServer);
