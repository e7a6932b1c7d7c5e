import { stateAdapterSuite } from '@treadle/testing';
import { KvStore } from './index.js';

stateAdapterSuite({ adapter: KvStore, plugin: new URL('./index.ts', import.meta.url).href });
