/** The program of a child process of the engine; see `WORKER_MAIN`. */
import { isMainThread } from 'node:worker_threads';
import { runChild } from './child.js';

if (isMainThread) void runChild();
