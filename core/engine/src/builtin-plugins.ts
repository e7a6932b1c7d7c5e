import type { Plugin } from '@treadle/api';
import http from '@treadle/module-http';
import steps from '@treadle/module-steps';
import node from '@treadle/runtime-node';

/** The plugins that every engine has without naming them: the classes of this distribution. */
export const BUILTIN_PLUGINS: readonly Plugin[] = [http, steps, node];
