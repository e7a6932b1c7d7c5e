// Changes files as its argument says, step by step, and kills itself. Argument: JSON list of [verb, name, …].
import { closeSync, constants, fdatasyncSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', steps = '[]'] = process.argv.slice(2);
const descriptors = new Map();

const verbs = {
  write: (fd, text, at) => writeSync(fd, text, at),
  writev: (fd, text) => writevSync(fd, [Buffer.from(text), Buffer.from(text)]),
  truncate: (fd, size) => ftruncateSync(fd, size),
  fsync: (fd) => fsyncSync(fd),
  fdatasync: (fd) => fdatasyncSync(fd),
};

const names = {
  syncFolder: () => {
    const fd = openSync(folder, 'r');
    fsyncSync(fd);
    closeSync(fd);
  },
  unlink: (name) => unlinkSync(join(folder, name)),
  rename: (name, to) => renameSync(join(folder, name), join(folder, to)),
  replace: (name, text) => writeFileSync(join(folder, name), text),
  append: (name, text) => writeFileSync(join(folder, name), text, { flag: 'a' }),
  expect: (name, text) => {
    const found = readFileSync(join(folder, name), 'utf8');
    if (found !== text) throw new Error(`${name} has ${found}`);
  },
};

for (const [verb, name, ...more] of JSON.parse(steps)) {
  if (names[verb]) {
    names[verb](name, ...more);
    continue;
  }
  if (!descriptors.has(name)) descriptors.set(name, openSync(join(folder, name), constants.O_RDWR | constants.O_CREAT, 0o600));
  verbs[verb](descriptors.get(name), ...more);
}
process.kill(process.pid, 'SIGKILL');
