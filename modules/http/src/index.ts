import { definePlugin } from '@treadle/api';
import { HttpModule } from './http.module.js';

export { HttpModule } from './http.module.js';
export { HTTP_TRIGGER_KIND } from './routing/http-trigger.js';
export type { HttpConfig } from './http.config.js';

export default definePlugin({ name: '@treadle/module-http', version: '0.1.0', api: '^0.1.0', modules: [HttpModule] });
