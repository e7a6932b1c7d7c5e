import { streamAdapterSuite } from '@treadle/testing';
import { KIT_TARGET, withServer } from '../testing/kit.fixture.js';
import { NatsStreamAdapter } from './stream.adapter.js';

streamAdapterSuite({ ...KIT_TARGET, adapter: NatsStreamAdapter }, withServer);
