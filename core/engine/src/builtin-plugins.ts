import type { Plugin } from '@treadle/api';
import http from '@treadle/module-http';
import state from '@treadle/module-state';
import steps from '@treadle/module-steps';
import keyv from '@treadle/plugin-keyv';
import sqlite from '@treadle/plugin-sqlite';
import node from '@treadle/runtime-node';

/** The plugins that every engine has without naming them: the classes of this distribution. */
export const BUILTIN_PLUGINS: readonly Plugin[] = [http, steps, node, state, sqlite, keyv];
