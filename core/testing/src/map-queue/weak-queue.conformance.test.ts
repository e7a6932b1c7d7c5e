import { queueAdapterSuite } from '../queue-adapter-suite.js';
import { WeakQueue } from './weak-queue.fixture.js';

queueAdapterSuite({ adapter: WeakQueue, plugin: new URL('./weak-queue.fixture.ts', import.meta.url).href });
