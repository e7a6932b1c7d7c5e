import { cronAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { NatsCronAdapter } from './cron.adapter.js';

cronAdapterSuite({ ...KIT_TARGET, adapter: NatsCronAdapter }, withServer);
