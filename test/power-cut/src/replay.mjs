// Takes back what a killed program had not synced, from the log that undo-log.c kept: the folder then looks as after a power
// cut. Options: --log FILE --folder DIR [--keep SHARE --seed N]. With --keep a random share of the unsynced writes
// survives in any order, the last of them torn at a sector; names of files are then left as they are. Prints one JSON line.
import { closeSync, existsSync, ftruncateSync, fstatSync, openSync, readFileSync, readSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const FIRST_RECORD = 4096;
const HEADER_TAIL = 8;
const RECORD_BYTES = 48;
const SECTOR = 512;
const KINDS = ['', 'write', 'truncate', 'sync', 'create', 'unlink', 'rename'];

const { values } = parseArgs({ options: { log: { type: 'string' }, folder: { type: 'string' }, keep: { type: 'string' }, seed: { type: 'string' } } });
const keepShare = Number(values.keep ?? 0);
const random = mulberry(Number(values.seed ?? 1));
const records = readLog(values.log);
const live = unsynced(records);
// Opened before any name changes back.
const files = descriptorsByInode([values.folder, `${values.log}.saved`], new Set(live.map(({ inode }) => inode)));
const survivors = [];
let undone = 0;
for (const record of [...live].reverse()) {
  const fresh = undo(record);
  if (fresh && random() < keepShare) survivors.unshift({ ...record, fresh });
}
survivors.forEach((record, index) => redo(record, index === survivors.length - 1));
for (const path of everyFile(values.folder)) if (path.endsWith('-shm')) rmSync(path);
process.stdout.write(`${JSON.stringify({ records: records.length, live: live.length, undone, kept: survivors.length })}\n`);

function readLog(file) {
  const descriptor = openSync(file, 'r');
  const head = Buffer.alloc(FIRST_RECORD);
  readSync(descriptor, head, 0, FIRST_RECORD, 0);
  const tail = Number(head.readBigUInt64LE(HEADER_TAIL));
  const log = Buffer.alloc(Math.max(tail - FIRST_RECORD, 0));
  for (let done = 0; done < log.length;) done += readSync(descriptor, log, done, log.length - done, FIRST_RECORD + done);
  closeSync(descriptor);
  const found = [];
  for (let at = 0; at < log.length; at += log.readUInt32LE(at + 4)) found.push(parseRecord(log, at));
  return found;
}

function parseRecord(log, at) {
  const [kind, old, freshBytes] = [0, 40, 44].map((offset) => log.readUInt32LE(at + offset));
  const [number, inode, offset, size] = [8, 16, 24, 32].map((place) => Number(log.readBigUInt64LE(at + place)));
  const data = log.subarray(at + RECORD_BYTES, at + RECORD_BYTES + old);
  return { kind: KINDS[kind], number, inode, offset, size, freshBytes, data };
}

/** Records that no later sync of the same file, or folder for names, made safe. */
function unsynced(all) {
  const safeBelow = new Map();
  for (const { kind, inode, offset } of all) if (kind === 'sync') safeBelow.set(inode, Math.max(offset, safeBelow.get(inode) ?? 0));
  return all.filter(({ kind, inode, number }) => kind !== 'sync' && number >= (safeBelow.get(inode) ?? 0));
}

/** Takes one record back; for a write or truncation the result is what it had written. */
function undo(record) {
  if (record.kind !== 'write' && record.kind !== 'truncate') {
    if (keepShare === 0) undoName(record);
    return undefined;
  }
  return withFile(record.inode, (descriptor) => {
    const fresh = Buffer.alloc(record.kind === 'write' ? record.freshBytes : 0);
    const there = readSync(descriptor, fresh, 0, fresh.length, record.offset);
    if (record.data.length > 0) writeAll(descriptor, record.data, record.offset);
    if (record.kind === 'truncate' || fstatSync(descriptor).size > record.size) ftruncateSync(descriptor, record.size);
    undone++;
    return fresh.subarray(0, there);
  });
}

function undoName({ kind, data }) {
  const [first = '', second = '', third = ''] = data.toString('utf8').split('\0');
  if (kind === 'create') rmSync(first, { force: true });
  else if (kind === 'unlink' && second && existsSync(second)) renameSync(second, first);
  else if (kind === 'rename' && existsSync(second)) {
    renameSync(second, first);
    if (third && existsSync(third)) renameSync(third, second);
  }
  undone++;
}

function redo({ kind, inode, offset, fresh }, last) {
  withFile(inode, (descriptor) => {
    if (kind === 'truncate') return ftruncateSync(descriptor, offset);
    const torn = last && fresh.length > SECTOR ? SECTOR * Math.ceil(random() * Math.floor(fresh.length / SECTOR)) : fresh.length;
    return writeAll(descriptor, fresh.subarray(0, torn), offset);
  });
}

/** Does nothing for a file that had lost its last name before the cut. */
function withFile(inode, act) {
  const descriptor = files.get(inode);
  return descriptor === undefined ? undefined : act(descriptor);
}

function writeAll(descriptor, bytes, offset) {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, offset + done);
}

function descriptorsByInode(folders, wanted) {
  const paths = folders.flatMap(everyFile).map((path) => [statSync(path).ino, path]);
  return new Map(paths.filter(([inode]) => wanted.has(inode)).map(([inode, path]) => [inode, openSync(path, 'r+')]));
}

function everyFile(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? everyFile(path) : entry.isFile() ? [path] : [];
  });
}

/** Small seeded generator, so that a run can be repeated. */
function mulberry(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
