export { type Declared, Dispatch, DISPATCH_TOKENS, type DispatchOptions } from './dispatch.js';
