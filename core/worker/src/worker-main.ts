import { fileURLToPath } from 'node:url';

/** Absolute path of the program that a child process of the engine runs: `node <WORKER_MAIN>`. */
export const WORKER_MAIN: string = fileURLToPath(new URL('./child-main.js', import.meta.url));
