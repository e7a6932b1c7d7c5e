import { expect } from 'chai';
import { decodeEntry, encodeEntry } from './log-entry.js';
import type { Command, WireMessage } from './machine/commands.js';
import { type Outcome, QueueMachine } from './machine/queue-machine.js';
import { linesOf, SnapshotReader } from './machine/snapshot.js';

const MESSAGE_BYTES = 1_048_576;
const KEY = { step: 'a', topic: 't' };
const subscription = { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' };

interface Written {
  readonly machine: QueueMachine;
  readonly outcome: Outcome;
  readonly messages: readonly Buffer[];
}

/** What becomes of an entry once it has gone through the log; a snapshot is made of the queue before each message. */
function written(commands: readonly Command[], bodies: readonly Buffer[]): Written {
  let machine = new QueueMachine();
  let outcome: Outcome = { results: [] };
  const messages = encodeEntry({ member: 'e', number: 1, seen: 0, joins: [], commands }, bodies);
  messages.forEach((message, index) => {
    const reader = new SnapshotReader();
    for (const line of linesOf(machine)) {
      expect(Buffer.byteLength(line)).to.be.below(MESSAGE_BYTES);
      reader.read(line);
    }
    machine = reader.finish();
    outcome = machine.apply(decodeEntry(message, index + 1, 1_000));
  });
  return { machine, outcome, messages };
}

describe('an entry of the queue\'s log', () => {
  it('goes into messages that the server takes, whatever its commands and bodies are', () => {
    const keyOf = (index: number): string => `漢"${index}`.padEnd(170, '字');
    const many = Array.from({ length: 10_000 }, (_, body): WireMessage => ({ id: `m${body}`, topic: 't', enqueuedAt: 1, dedupeKey: keyOf(body), body }));
    const bodies = many.map(({ id }) => Buffer.from(`{"id":"${id}"}\n"${'x'.repeat(150)}"`));
    const { machine, outcome, messages } = written([
      { op: 'subscriptions', changes: [{ action: 'put', subscription }] }, { op: 'enqueue', messages: many, max: 10_000 },
    ], bodies);
    expect(Math.max(...messages.map(({ length }) => length))).to.be.below(MESSAGE_BYTES);
    expect('results' in outcome && outcome.results[1]).to.deep.equal({ ok: true, ids: many.map(({ id }) => id) });
    const last = [...machine.subscriptions.get(KEY)?.deliveries.values() ?? []].at(-1);
    const [seq = 0, from, to] = last?.body ?? [];
    expect(messages[seq - 1]?.toString('utf8', from, to)).to.equal(bodies.at(-1)?.toString());
    expect(machine.parts.all.size).to.equal(0);
  });

  it('is refused when one of its pieces has not come', () => {
    const machine = new QueueMachine();
    const long = Array.from({ length: 10 }, (_, body): WireMessage => ({ id: 'x'.repeat(100_000), topic: 't', enqueuedAt: 1, body }));
    const messages = encodeEntry({ member: 'e', number: 1, seen: 0, joins: [], commands: [{ op: 'enqueue', messages: long, max: 10 }] }, []);
    expect(messages).to.have.length(6);
    const outcomes = messages.slice(1).map((message, index) => machine.apply(decodeEntry(message, index + 1, 1)));
    expect(outcomes.at(-1)).to.deep.equal({ refused: 'lost' });
  });

  it('has its bodies in one message with the commands where there is room', () => {
    expect(encodeEntry({ member: 'e', number: 1, seen: 0, commands: [] }, [Buffer.alloc(890_000)])).to.have.length(1);
    expect(encodeEntry({ member: 'e', number: 1, seen: 0, commands: [] }, [Buffer.alloc(950_000)])).to.have.length(2);
  });
});
