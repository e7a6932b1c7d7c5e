import { type LayoutJob, placesOf } from './layout.js';

// The page stays usable while a large graph is laid out.
self.onmessage = ({ data }: MessageEvent<LayoutJob>): void => self.postMessage(placesOf(data));
