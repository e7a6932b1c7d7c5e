// The checker: a process of its own that shares no code with the engine. Producers, handlers and the one who kills report
// to it over TCP, a line `<number> <JSON>` each; a line is answered with its number once it is in the history, which is
// fsynced in groups. `{"type":"status"}` is answered with JSON and not written down. Ended by any signal: what was
// answered is durable. Argument: the history file.
import { fdatasync, openSync, write } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const RECENT = 200;
const descriptor = openSync(process.argv[2] ?? 'history.jsonl', 'a', 0o600);
let gathered = [];
let writing = false;

/** Enough to see from outside how far things are; the verdict comes from the history alone. */
const progress = { lines: 0, acknowledged: new Set(), finished: new Set(), recentPids: [] };

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => undefined); // whoever reports may be killed at any time
  createInterface({ input: socket }).on('line', (line) => receive(socket, line)).on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
function receive(socket, line) {
  const space = line.indexOf(' ');
  const number = line.slice(0, space);
  const event = parsed(line.slice(space + 1));
  if (!event) return; // the last line of one that was killed
  if (event.type === 'status') {
    socket.write(`${number} ${JSON.stringify(status())}\n`);
    return;
  }
  note(event);
  gathered.push({ socket, number, text: JSON.stringify({ at: Number(performance.now().toFixed(2)), ...event }) });
  if (!writing) writeGathered();
}

function writeGathered() {
  const group = gathered;
  if (group.length === 0) return;
  gathered = [];
  writing = true;
  write(descriptor, `${group.map(({ text }) => text).join('\n')}\n`, (writeError) => {
    if (writeError) throw writeError;
    fdatasync(descriptor, (syncError) => {
      if (syncError) throw syncError;
      answer(group);
      writing = false;
      writeGathered();
    });
  });
}

/** One write per socket and group. */
function answer(group) {
  const texts = new Map();
  for (const { socket, number } of group) texts.set(socket, `${texts.get(socket) ?? ''}${number}\n`);
  for (const [socket, text] of texts) if (socket.writable) socket.write(text);
}

function note({ type, id, pid, last }) {
  progress.lines++;
  if (type === 'acknowledged' && !progress.finished.has(id)) progress.acknowledged.add(id);
  if (type === 'began' || type === 'produced') {
    progress.recentPids.push(pid);
    if (progress.recentPids.length > RECENT) progress.recentPids.shift();
  }
  if (type !== 'ended' || !last) return;
  if (!progress.acknowledged.delete(id)) progress.finished.add(id);
}

function status() {
  return { lines: progress.lines, outstanding: progress.acknowledged.size, recentPids: [...new Set(progress.recentPids)] };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
