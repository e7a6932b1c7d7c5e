import { queueAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { PostgresQueueAdapter } from './queue.adapter.js';

queueAdapterSuite({ ...KIT_TARGET, adapter: PostgresQueueAdapter }, withServer);
