import { SqliteQueueAdapter } from '@treadle/plugin-sqlite';

const WRITE_BEHIND_MS = 100;
const LEASE_MS = 3;

/** All of an adapter's calls go to the real one; a control changes some. */
class Control {
  constructor(config, engine) {
    this.real = new SqliteQueueAdapter({ store_method: 'file_based', file_path: 'controls.db', memory_mb: 64, ...config }, engine);
  }
}
for (const name of [
  'init', 'stop', 'subscriptions', 'changeSubscriptions', 'enqueueMany', 'claimMany', 'settleMany', 'renewMany', 'onDue', 'statistics', 'unrouted',
  'peek', 'purge', 'deadLetters', 'redrive', 'discard', 'expire',
]) {
  Control.prototype[name] = function pass(...args) { return this.real[name](...args); };
}

/** Acknowledges at once and writes behind, as engines do that save now and then. */
export class AckFirst extends Control {
  enqueueMany(batches, limits) {
    setTimeout(() => void this.real.enqueueMany(batches, limits).catch(() => undefined), WRITE_BEHIND_MS);
    return Promise.resolve(batches.map((messages) => ({ ok: true, ids: messages.map(({ id }) => id) })));
  }
}

/** A claim is forgotten after a moment, whoever still works on it, and any epoch will do for its settlement. */
export class Unfenced extends Control {
  #latest = new Map();

  async claimMany(requests, leaseMs) {
    const deliveries = await this.real.claimMany(requests, leaseMs);
    for (const delivery of deliveries) {
      this.#latest.set(nameOf(delivery), delivery);
      setTimeout(() => void this.#expire(delivery).catch(() => undefined), LEASE_MS);
    }
    return deliveries;
  }

  settleMany(settlements) {
    return this.real.settleMany(settlements.map((one) => ({ ...one, claim: this.#latest.get(nameOf(one.claim)) ?? one.claim })));
  }

  async #expire(delivery) {
    if (this.#latest.get(nameOf(delivery)) === delivery) await this.real.settleMany([{ action: 'return', claim: delivery, progress: delivery.progress }]);
  }
}

/** Drops the group of every message. */
export class Unordered extends Control {
  enqueueMany(batches, limits) {
    return this.real.enqueueMany(batches.map((messages) => messages.map(({ groupId, ...rest }) => ({ ...rest, ...(groupId ? { groupId: rest.id } : {}) }))), limits);
  }
}

/** Drops every dedupe key. */
export class Forgetful extends Control {
  enqueueMany(batches, limits) {
    return this.real.enqueueMany(batches.map((messages) => messages.map(({ dedupeKey: _, ...rest }) => rest)), limits);
  }
}

function nameOf({ step, topic, deliveryId }) {
  return `${step} ${topic} ${deliveryId}`;
}
