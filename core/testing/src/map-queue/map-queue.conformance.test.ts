import { queueAdapterSuite } from '../queue-adapter-suite.js';
import { MapQueue } from './map-queue.js';

queueAdapterSuite({ adapter: MapQueue, plugin: new URL('./plugin.fixture.ts', import.meta.url).href });
