import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeadLetterReason, OperationError, type StoreTransfer, type TransferContext, type TransferImport, type TransferKind, type TransferMark, type TransferPage,
  type TransferPageOptions, type TransferRow, type TransferSide, TreadleError,
} from '@treadle/api';
import { portionsOf } from '../store/in-portions.js';
import { NatsStore } from '../store/nats-store.js';
import { type NatsConfig, serverName } from '../store/store.config.js';
import type { ImportedRow } from './machine/commands.js';
import { type BodyPlaces, type Delivery, FRESH, type KeptMessage, type Letter } from './machine/delivery.js';
import type { QueueMachine } from './machine/queue-machine.js';
import { bodiesOf, placesOf } from './message-body.js';
import { SharedQueue } from './shared-queue.js';

/** How long an engine that was killed counts as one that uses the store; milliseconds. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 500;
/** Characters of rows after which a page ends, and bytes of what one command brings beside bodies. */
const PAGE_CHARACTERS = 4_000_000;
const COMMAND_BYTES = 200_000;
const KINDS: readonly TransferKind[] = [
  { name: 'subscription' }, { name: 'delivery', note: 'what is due does not keep since when' }, { name: 'letter' }, { name: 'key' },
];
/** Moments travel as the store has them. */
const AS_IT_IS = { fromStore: (moment: number): number => moment, toStore: (moment: number): number => moment };

type Place = () => Promise<TransferRow>;

/** The queue of one store, opened to be copied. */
export class QueueTransfer implements StoreTransfer {
  readonly kinds = KINDS;
  /** Nobody else uses the queue: they are as they were found until the copy itself writes. */
  private readonly found = new Map<string, readonly Place[]>();

  private constructor(private readonly queue: SharedQueue, readonly store: string) {}

  /** @throws {STORE_IN_USE} when engines use it, or another copy; {SERVICE_UNAVAILABLE} */
  static async open(context: TransferContext, config: NatsConfig): Promise<StoreTransfer> {
    const { clock, log } = context;
    const queue = await context.shared(`${serverName(config)} ${config.name} queue`, async () => {
      const store = await NatsStore.open({ config, clock, log, engine: `copy-${randomBytes(9).toString('base64url')}` });
      return openAlone(store, context).catch(async (error: unknown) => {
        await store.close();
        throw error;
      });
    }, async (opened) => {
      await opened.close();
      await opened.store.close();
    });
    return new QueueTransfer(queue, `${queue.store.name} (${queue.created})`);
  }

  count(kind: string): Promise<number> {
    return Promise.resolve().then(() => this.places(kind).length);
  }

  async exportRows(kind: string, { limit, after = '0' }: TransferPageOptions): Promise<TransferPage> {
    const places = this.places(kind);
    const rows: TransferRow[] = [];
    let at = Number(after);
    for (let size = 0; at < places.length && rows.length < limit && size < PAGE_CHARACTERS; at += 1) {
      const row = await (places[at] as Place)();
      rows.push(row);
      size += String(row['data'] ?? '').length + String(row['history'] ?? '').length;
    }
    return { rows, ...at < places.length && { cursor: String(at) } };
  }

  async importRows({ kind, rows, mark }: TransferImport): Promise<void> {
    if (!KINDS.some(({ name }) => name === kind)) throw unknownKind(kind);
    this.found.clear();
    const portions = rows.length > 0 ? portionsOf(rows, COMMAND_BYTES, bytesOfRow) : [[]];
    // One after another: the mark goes with the last one, and must not come where another one did not.
    for (const [index, portion] of portions.entries()) {
      const messages = portion.filter((row) => row['messageId'] !== undefined && row['until'] === undefined);
      const bodies = messages.map((row) => bodiesOfRow(row));
      await this.queue.run((first) => {
        const places = new Map(placesOf(bodies, first).map((place, at) => [messages[at], place]));
        const imported = portion.map((row) => importedOf(kind, row, places.get(row)));
        return { op: 'import', isFirst: index === 0, rows: imported, ...index === portions.length - 1 && { mark } };
      }, bodies.flat());
    }
  }

  async finish(mark: TransferMark): Promise<void> {
    await this.queue.run(() => ({ op: 'import', isFirst: true, rows: [], mark }));
    await this.queue.housekeeping.make();
  }

  async mark(side: TransferSide): Promise<TransferMark | undefined> {
    return (await this.queue.fresh()).copying.marks.get(side);
  }

  async setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    await this.queue.run(() => ({ op: 'mark', side, mark }));
  }

  private places(kind: string): readonly Place[] {
    const places = this.found.get(kind) ?? this.placesOf(kind, this.queue.machine);
    this.found.set(kind, places);
    return places;
  }

  private placesOf(kind: string, { subscriptions, letters, keys }: QueueMachine): readonly Place[] {
    const rowOf = (row: TransferRow): Place => () => Promise.resolve(row);
    if (kind === 'subscription') {
      const routed = [...subscriptions.byKey.values()].map(({ stored, retired }) => rowOf({ ...stored, retired }));
      const unrouted = [...subscriptions.unrouted.keys()].map((topic) => rowOf({ step: '', topic, application: '', fifo: false, delayMs: 0, paused: false, settings: '', retired: false }));
      return [...routed, ...unrouted];
    }
    if (kind === 'delivery') {
      const routed = [...subscriptions.byKey.values()].flatMap(({ stored: { step, topic }, deliveries }) => [...deliveries.values()].map((one) => this.deliveryAt(step, topic, one)));
      const unrouted = [...subscriptions.unrouted].flatMap(([topic, kept]) => kept.map((one) => this.deliveryAt('', topic, { ...one, later: one.dueAt > 0, progress: FRESH })));
      return [...routed, ...unrouted];
    }
    if (kind === 'letter') return [...letters.all.values()].map((letter) => this.letterAt(letter));
    if (kind === 'key') return [...keys.all].map(([text, { id, until }]) => {
      const [scope = '', name = '', key = ''] = JSON.parse(text) as readonly string[];
      return rowOf({ scope, name, key, messageId: id, until });
    });
    throw unknownKind(kind);
  }

  private deliveryAt(step: string, topic: string, delivery: Delivery): Place {
    const { id, later, dueAt, progress } = delivery;
    return async () => ({ step, topic, order: id, ...await this.contentOf(delivery), ...progress, ...later && { dueAt } });
  }

  private letterAt(letter: Letter): Place {
    const { id, step, topic, reason, deadAt, progress } = letter;
    return async () => {
      const { hops: _hops, ...content } = await this.contentOf(letter);
      return { order: id, step, topic, reason, deadAt, ...content, ...progress };
    };
  }

  private async contentOf(message: KeptMessage): Promise<TransferRow> {
    const [content] = await this.queue.replica.bodies.contentsOf([message], AS_IT_IS);
    return Object.fromEntries(Object.entries(content ?? {}).filter(([, value]) => value !== undefined)) as TransferRow;
  }
}

/** Waits for an engine that was killed to count as gone. @throws {STORE_IN_USE} */
async function openAlone(store: NatsStore, { clock, log }: TransferContext): Promise<SharedQueue> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await SharedQueue.open(store, { clock, log, copies: true });
    } catch (error) {
      if (!(error instanceof TreadleError) || error.code !== 'STORE_IN_USE' || performance.now() > until) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

/** What a row takes of a command. */
function bytesOfRow({ data: _data, headers: _headers, ...rest }: TransferRow): number {
  return Buffer.byteLength(JSON.stringify(rest));
}

function importedOf(kind: string, row: TransferRow, places: BodyPlaces = { body: 0 }): ImportedRow {
  const { step, topic, application, fifo, delayMs, paused, settings, retired } = row;
  if (kind === 'subscription') {
    const stored = { step: String(step), topic: String(topic), application: String(application), fifo: fifo === true, delayMs: Number(delayMs), paused: paused === true, settings: String(settings) };
    return { kind, stored, retired: retired === true };
  }
  if (kind === 'key') return { kind, scope: JSON.stringify([row['scope'], row['name'], row['key']]), id: String(row['messageId']), until: Number(row['until']) };
  const message = {
    step: String(step), topic: String(topic), enqueuedAt: Number(row['enqueuedAt']), groupId: optional(row['groupId']), ...places,
    progress: { attempts: Number(row['attempts'] ?? 0), deaths: Number(row['deaths'] ?? 0), history: String(row['history'] ?? '') },
  };
  if (kind === 'letter') return { kind, ...message, reason: row['reason'] as DeadLetterReason, deadAt: Number(row['deadAt']) };
  return { kind: 'delivery', ...message, dueAt: Number(row['dueAt'] ?? 0) };
}

function bodiesOfRow(row: TransferRow): readonly Buffer[] {
  return bodiesOf({
    id: String(row['messageId']), topic: '', kind: row['kind'] as 'queue', data: String(row['data']), headers: optional(row['headers']), traceparent: String(row['traceparent']),
    hops: Number(row['hops'] ?? 0), enqueuedAt: Number(row['enqueuedAt']), groupId: optional(row['groupId']),
  }, AS_IT_IS);
}

function optional(value: TransferRow[string]): string | undefined {
  return value === undefined ? undefined : String(value);
}

function unknownKind(kind: string): Error {
  return new OperationError('StorageRefused', `the queue has no rows of the kind "${kind}"`);
}
