import { definePlugin } from '@treadle/api';
import { StateModule } from './state.module.js';

export { StateModule } from './state.module.js';
export type { StateConfig } from './state.config.js';
export type { StateErrorCode } from './state-errors.js';

export default definePlugin({ name: '@treadle/module-state', version: '0.1.0', api: '^0.1.0', modules: [StateModule] });
