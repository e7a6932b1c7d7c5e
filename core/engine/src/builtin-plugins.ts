import type { Plugin } from '@treadle/api';
import console from '@treadle/console';
import cron from '@treadle/module-cron';
import http from '@treadle/module-http';
import observability from '@treadle/module-observability';
import queue from '@treadle/module-queue';
import state from '@treadle/module-state';
import steps from '@treadle/module-steps';
import stream from '@treadle/module-stream';
import keyv from '@treadle/plugin-keyv';
import sqlite from '@treadle/plugin-sqlite';
import node from '@treadle/runtime-node';
import python from '@treadle/runtime-python';

/** The plugins that every engine has without naming them: the classes of this distribution. */
export const BUILTIN_PLUGINS: readonly Plugin[] = [http, steps, node, python, queue, cron, state, stream, observability, sqlite, keyv, console];
