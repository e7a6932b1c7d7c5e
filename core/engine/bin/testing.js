// The entry `@treadle/engine/testing`: out of the program's few files when these can be used, for a test should begin at once.
import { BUNDLE, isCurrent } from './bundle.js';

/** Both are the same code; the bundle shares its modules with the engine's. */
const kit = await import(isCurrent() ? new URL('testing.js', BUNDLE).href : '../dist/testing/index.js');

export const { createTestComposition, createTestEngine, isolated, withConfigFile } = kit;
