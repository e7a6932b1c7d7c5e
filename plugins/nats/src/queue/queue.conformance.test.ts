import { queueAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { NatsQueueAdapter } from './queue.adapter.js';

queueAdapterSuite({ ...KIT_TARGET, adapter: NatsQueueAdapter }, withServer);
