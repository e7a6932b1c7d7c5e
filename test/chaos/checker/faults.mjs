/** Kills, what was in flight at each, and what was repeated because of it. */
export class Faults {
  #kills = [];
  #open = new Map();
  /** Run of each message that began last: one that exceeded its time may go on beside it. */
  #latest = new Map();
  #waiting = new Map();
  #redeliveries = [];
  #firstDeliveries = [];
  #startedAt;
  #duplicated = 0;
  /** Runs that ended: by message, the last one. */
  #ended = new Map();
  #lookedAt = Infinity;
  /** Workers of the present engine. Those of a killed one finish what they had got from it. */
  #pids = new Set();
  #longestUnsettled = 0;

  /** Written before the store is read for a kill of a worker. */
  looking({ at }) {
    this.#lookedAt = at;
  }

  /**
   * Written before the signal is sent; `pid` of a worker. `unsettled` of a worker's kill: what the store held after the last
   * `looking`, so that what began since then was in flight as well.
   */
  killing({ unsettled = [], ...event }) {
    const kill = { ...event, killedAt: Infinity, orphans: new Set(), inFlight: new Set(), running: new Set(), unsettled: new Set(unsettled), repeated: 0 };
    this.#kills.push(kill);
    for (const run of this.#open.values()) {
      if (!concerns(kill, run)) continue;
      kill.running.add(messageOf(run));
      if (kill.what !== 'worker') continue;
      kill.inFlight.add(messageOf(run));
      if (this.#isLatest(run)) this.#waiting.set(messageOf(run), event.at);
    }
    if (kill.what !== 'worker') return;
    this.#addUnsettled(kill, this.#ended.values());
    for (const run of this.#ended.values()) if (run.at >= this.#lookedAt && concerns(kill, run)) kill.inFlight.add(messageOf(run));
  }

  /** Written when the process is gone. `unsettled` of an engine's kill: what the store holds that the next engine opens. */
  killed({ at, unsettled = [] }) {
    const kill = this.#kills.at(-1);
    if (!kill) return;
    kill.killedAt = at;
    this.#lookedAt = Infinity;
    if (kill.what === 'engine') {
      kill.unsettled = new Set(unsettled);
      this.#addUnsettled(kill, this.#open.values());
      this.#addUnsettled(kill, this.#ended.values());
      [kill.orphans, this.#pids] = [this.#pids, new Set()];
    }
    for (const [id, run] of this.#open) {
      if (!concerns(kill, run)) continue;
      this.#open.delete(id);
      // The others wait since the signal was announced; some may even have begun again before this line.
      if (kill.what === 'worker' && run.at >= kill.at && this.#isLatest(run)) this.#waiting.set(messageOf(run), at);
    }
  }

  started({ at }) {
    this.#startedAt = at;
  }

  began(run) {
    this.#open.set(run.run, run);
    this.#latest.set(messageOf(run), run.run);
    if (this.#startedAt !== undefined) this.#firstDeliveries.push(Math.max(0, run.at - this.#startedAt));
    this.#startedAt = undefined;
    // What a worker said last may come over its own connection after the line that it is dead.
    const kill = this.#kills.findLast(({ what, pid }) => what === 'worker' && pid === run.pid);
    if (kill) kill.inFlight.add(messageOf(run));
    if (kill && kill.killedAt !== Infinity) this.#open.delete(run.run);
    const widow = this.#kills.findLast(({ orphans }) => orphans.has(run.pid));
    if (widow) this.#addUnsettled(widow, [run]);
    else this.#pids.add(run.pid);
  }

  ended(run) {
    this.#open.delete(run.run);
    this.#waiting.delete(messageOf(run));
    this.#ended.set(messageOf(run), run);
  }

  /** A message begins again. True when a kill since its previous run explains it. */
  rebegan(previous, event) {
    const name = messageOf(event);
    const since = this.#waiting.get(name);
    if (since !== undefined) this.#redeliveries.push(event.at - since);
    this.#waiting.delete(name);
    // Another attempt of a message that failed is no repetition of one that did not.
    if (event.expectedRepeat) return true;
    this.#duplicated++;
    const kill = this.#kills.findLast(({ at, inFlight }) => at <= event.at && inFlight.has(name));
    if (!kill || (previous.at > kill.killedAt && !kill.orphans.has(previous.pid) && previous.pid !== kill.pid)) return false;
    kill.repeated++;
    return true;
  }

  report() {
    const over = this.#kills.filter(({ repeated, inFlight }) => repeated > inFlight.size);
    return {
      engineKills: this.#kills.filter(({ what }) => what === 'engine').length, workerKills: this.#kills.filter(({ what }) => what === 'worker').length,
      duplicated: this.#duplicated, killsWithMoreDuplicatesThanInFlight: over.length,
      inFlight: distribution(this.#kills.map(({ inFlight }) => inFlight.size)), running: distribution(this.#kills.map(({ running }) => running.size)),
      duplicatedPerKill: distribution(this.#kills.map(({ repeated }) => repeated)),
      longestUnsettledMs: Math.round(this.#longestUnsettled), neverRedelivered: this.#waiting.size, redeliveryMs: this.#redeliveries, firstDeliveryMs: this.#firstDeliveries,
    };
  }

  #isLatest(run) {
    return this.#latest.get(messageOf(run)) === run.run;
  }

  /** Of these runs the ones that the store had no end of: it was on its way there, or in the worker that died. */
  #addUnsettled(kill, runs) {
    for (const run of runs) {
      const name = messageOf(run);
      if (!kill.unsettled.has(name) || !concerns(kill, run)) continue;
      kill.inFlight.add(name);
      if (run.finished && run.endedAt < kill.at && this.#isLatest(run)) this.#longestUnsettled = Math.max(this.#longestUnsettled, kill.at - run.endedAt);
    }
  }
}

function distribution(numbers) {
  return { total: numbers.reduce((sum, n) => sum + n, 0), most: Math.max(0, ...numbers) };
}

function concerns(kill, run) {
  return kill.what === 'engine' || run.pid === kill.pid;
}

function messageOf({ id, stage }) {
  return `${stage} ${id}`;
}
