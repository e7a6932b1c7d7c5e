import { stateAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { PostgresStateAdapter } from './state.adapter.js';

stateAdapterSuite({ ...KIT_TARGET, adapter: PostgresStateAdapter }, withServer);
