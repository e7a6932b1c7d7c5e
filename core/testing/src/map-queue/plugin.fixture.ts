import { definePlugin } from '@treadle/api';
import { MapQueue } from './map-queue.js';

export default definePlugin({ name: '@treadle/map-queue', version: '0.1.0', api: '*', adapters: [MapQueue] });
