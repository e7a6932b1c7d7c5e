import type { PlanOptions } from '@treadle/kernel';
import { BUILTIN_PLUGINS } from './builtin-plugins.js';
import type { RunOptions } from './run/run-options.js';
import { ENGINE_VERSION } from './version.js';

/** What a plan of this distribution is made from. */
export function planOptions({ configFile, cwd, env, mode, port }: Pick<RunOptions, 'configFile' | 'cwd' | 'env' | 'mode' | 'port'>): PlanOptions {
  return {
    cwd, env, builtins: BUILTIN_PLUGINS, engineVersion: ENGINE_VERSION,
    ...(configFile === undefined ? {} : { configFile }), ...(mode === undefined ? {} : { mode }),
    ...(port === undefined ? {} : { given: [{ class: 'modules::http::HttpModule', key: 'port', value: port, by: '--port' }] }),
  };
}
