import { closeSync, copyFileSync, existsSync, ftruncateSync, openSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Something that happens to the files of a store. */
export interface Way {
  readonly name: string;
  /** While the engine writes, or while none runs after a kill. */
  readonly when: 'running' | 'start';
  /** `data`: the data directory; `former`: what was in it some time before. */
  harm(data: string, former: string): void;
  /** The state is in a `KvStore`, and the engine runs as a user who may not read everything. */
  readonly others?: boolean;
  /** Puts back what `harm` took, from a copy that was made before. */
  mend?(data: string, sound: string): void;
}

const BLOCK = 4096;
const WHEN = ['running', 'start'] as const;
const DATABASE = 'treadle.db';
const LOG = `${DATABASE}-wal`;
const INDEX = `${DATABASE}-shm`;
const MARK = `${DATABASE}.mark`;

type Harm = (file: string, former: string) => void;

const OPERATIONS: Readonly<Record<string, Harm>> = {
  'is removed': (file) => rmSync(file, { force: true }),
  'is emptied': (file) => change(file, (descriptor) => ftruncateSync(descriptor, 0)),
  'is cut in half': (file) => change(file, (descriptor, bytes) => ftruncateSync(descriptor, Math.floor(bytes / 2))),
  'loses its last block': (file) => change(file, (descriptor, bytes) => ftruncateSync(descriptor, Math.max(0, bytes - BLOCK - 24))),
  'is replaced by a former one': (file, former) => put(former, file),
  'becomes a former one in place': (file, former) => existsSync(former) && copyFileSync(former, file),
  'has another byte at its beginning': (file) => turn(file, () => 17),
  'has another byte in its middle': (file) => turn(file, (bytes) => Math.floor(bytes / 2) + 100),
  'has another byte near its end': (file) => turn(file, (bytes) => bytes - 200),
  'has zeros at its beginning': (file) => zero(file, () => 0),
  'has zeros in its middle': (file) => zero(file, (bytes) => Math.floor(bytes / 2)),
  'has zeros at its end': (file) => zero(file, (bytes) => bytes - BLOCK),
};
const OF_OTHERS = ['is removed', 'is emptied', 'has another byte at its beginning'];

/** All ways: each operation on database and log, some on the other files, some on several; each while running and before a start. */
export const WAYS: readonly Way[] = WHEN.flatMap((when) => [
  ...Object.entries(OPERATIONS).flatMap(([text, act]) => [DATABASE, LOG].map((name) => way(when, `${name} ${text}`, name, act))),
  ...OF_OTHERS.flatMap((text) => [INDEX, MARK].map((name) => way(when, `${name} ${text}`, name, OPERATIONS[text] as Harm))),
  { when, name: 'database and log are removed', harm: (data: string) => [DATABASE, LOG].forEach((name) => rmSync(join(data, name), { force: true })) },
  { when, name: 'database and log are emptied', harm: (data: string) => [DATABASE, LOG].forEach((name) => OPERATIONS['is emptied']?.(join(data, name), '')) },
  { when, name: 'log and index are removed', harm: (data: string) => [LOG, INDEX].forEach((name) => rmSync(join(data, name), { force: true })) },
  { when, name: 'log and mark are removed', harm: (data: string) => [LOG, MARK].forEach((name) => rmSync(join(data, name), { force: true })) },
  ...when === 'running' ? [{ when, name: 'the folder is removed', harm: (data: string) => rmSync(data, { recursive: true, force: true }) }] : [],
]);

function way(when: Way['when'], name: string, file: string, act: Harm): Way {
  return { when, name, harm: (data, former) => act(join(data, file), join(former, file)) };
}

function put(former: string, file: string): void {
  if (!existsSync(former)) return;
  copyFileSync(former, `${file}.new`);
  renameSync(`${file}.new`, file);
}

function turn(file: string, place: (bytes: number) => number): void {
  change(file, (descriptor, bytes) => {
    const byte = Buffer.alloc(1);
    const at = Math.max(0, place(bytes));
    readSync(descriptor, byte, 0, 1, at);
    writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 0xff), 0, 1, at);
  });
}

function zero(file: string, place: (bytes: number) => number): void {
  change(file, (descriptor, bytes) => void writeSync(descriptor, Buffer.alloc(BLOCK), 0, BLOCK, Math.max(0, place(bytes))));
}

function change(file: string, act: (descriptor: number, bytes: number) => void): void {
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r+');
  try {
    act(descriptor, statSync(file).size);
  } finally {
    closeSync(descriptor);
  }
}
