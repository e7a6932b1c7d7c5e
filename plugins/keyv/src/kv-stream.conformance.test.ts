import { streamAdapterSuite } from '@treadle/testing';
import { KvStreamAdapter } from './index.js';

streamAdapterSuite({ adapter: KvStreamAdapter, plugin: new URL('./index.ts', import.meta.url).href });
