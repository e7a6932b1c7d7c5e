// The entry `@treadle/engine/program`: what `@treadle/engine` gives, out of the program's few files when these can be used, for a command should begin at once.
// Plugins and tests that share classes with the packages take `@treadle/engine`.
import { BUNDLE, isCurrent } from './bundle.js';

const engine = await import(isCurrent() ? new URL('index.js', BUNDLE).href : '../dist/index.js');

export const { BUILTIN_PLUGINS, COPIED_SLOTS, ENGINE_VERSION, checkConfig, checkStore, copyStores, runEngine, salvageStore } = engine;
