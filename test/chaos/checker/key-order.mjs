const EXAMPLES = 5;

/**
 * Order per key: messages run in the order in which they were sent, one at a time. After a kill of the engine the last ones may
 * run again; within one life of the engine only the last one may, when its worker died.
 */
export class KeyOrder {
  examples = [];
  #keys = new Map();
  /** Workers of the present engine, and those of killed ones, which finish what they had got. */
  #pids = new Set();
  #orphans = new Set();
  /** Workers that were killed; what they said last may come later. */
  #dead = new Set();
  #violations = { order: 0, overlaps: 0 };

  began({ key, n, run, pid, at, id }) {
    if (key === undefined) return;
    const state = this.#keys.get(key) ?? { highest: -1, latest: -1, seen: new Set(), open: new Map() };
    this.#keys.set(key, state);
    if (this.#orphans.has(pid)) {
      state.seen.add(n);
      state.highest = Math.max(state.highest, n);
      return;
    }
    this.#pids.add(pid);
    const again = state.seen.has(n);
    if ((!again && n < state.highest) || n < state.latest) this.#violate('order', { key, id, n, after: Math.max(state.latest, again ? -1 : state.highest), at });
    if (state.open.size > 0) this.#violate('overlaps', { key, id, n, beside: [...state.open.keys()], at });
    state.seen.add(n);
    state.highest = Math.max(state.highest, n);
    state.latest = n;
    if (!this.#dead.has(pid)) state.open.set(run, pid);
  }

  ended({ key, run }) {
    this.#keys.get(key)?.open.delete(run);
  }

  /** Announced before the signal: from here on the worker's messages may run elsewhere. */
  killing({ what, pid }) {
    if (what !== 'worker') return;
    this.#dead.add(pid);
    this.#close((owner) => owner === pid);
  }

  /** Written when the process is gone, and before a new engine starts. */
  killed({ what, pid }) {
    if (what === 'engine') {
      for (const state of this.#keys.values()) state.latest = -1;
      for (const one of this.#pids) this.#orphans.add(one);
      this.#pids.clear();
    }
    this.#close((owner) => what === 'engine' || owner === pid);
  }

  #close(concerns) {
    for (const { open } of this.#keys.values()) for (const [run, owner] of open) if (concerns(owner)) open.delete(run);
  }

  report() {
    return { orderViolations: this.#violations.order, overlaps: this.#violations.overlaps, keys: this.#keys.size };
  }

  #violate(kind, example) {
    this.#violations[kind]++;
    if (this.examples.length < EXAMPLES) this.examples.push({ kind, ...example });
  }
}
