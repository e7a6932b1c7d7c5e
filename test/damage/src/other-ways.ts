import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Way } from './ways.js';

/** What lies in the data directory beside database and log of the embedded store; `modules::state` has a `KvStore` of its own here. */
const FILES = [
  'kv_store.db', 'kv_store.db-wal', 'kv_store.db.pid', 'treadle.db.lock', 'treadle.db.pid', 'engine.json', 'clock.json', 'admin.token', 'worker.token', 'worker.sock',
  'remote-steps.json', 'cache',
];
/** A folder there is what a volume that is mounted wrongly looks like. */
const OF_STORES = ['treadle.db', 'treadle.db-wal', 'treadle.db-shm', 'treadle.db.mark'];

type Harm = (path: string) => void;

const OPERATIONS: Readonly<Record<string, Harm>> = {
  'is removed': (path) => rmSync(path, { recursive: true, force: true }),
  'is emptied': (path) => isFile(path) && truncateSync(path, 0),
  'is cut in half': (path) => isFile(path) && truncateSync(path, Math.floor(statSync(path).size / 2)),
  'is a folder': (path) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, 'kept'), { recursive: true });
  },
  'is unreadable': (path) => existsSync(path) && chmodSync(path, 0),
};

/** Each operation on each of the files, while the engine runs and before a start. */
export const OTHER_WAYS: readonly Way[] = (['running', 'start'] as const).flatMap((when) => [
  ...FILES.flatMap((file) => Object.entries(OPERATIONS).map(([text, act]) => way(when, file, text, act))),
  ...OF_STORES.flatMap((file) => ['is a folder', 'is unreadable'].map((text) => way(when, file, text, OPERATIONS[text] as Harm))),
]);

function way(when: Way['when'], file: string, text: string, act: Harm): Way {
  return {
    name: `${file} ${text}`, when, others: true, harm: (data) => void act(join(data, file)),
    mend: (data, sound) => {
      rmSync(join(data, file), { recursive: true, force: true });
      if (existsSync(join(sound, file))) cpSync(join(sound, file), join(data, file), { recursive: true, preserveTimestamps: true });
      own(join(data, file), statSync(data).uid);
    },
  };
}

/** The copy is root's where root runs the campaign. */
function own(path: string, user: number): void {
  if (existsSync(path) && process.getuid?.() === 0) chownSync(path, user, user);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
