import { stateAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { NatsStateAdapter } from './state.adapter.js';

stateAdapterSuite({ ...KIT_TARGET, adapter: NatsStateAdapter }, withServer);
