/** Who waits for messages to come. */
interface Waiter {
  left: number;
  readonly end: () => void;
}

/** How many messages the server has for this engine that have not come, as far as is known; and whoever waits for them. */
export class Arrivals {
  /** Messages of this engine that have neither come nor been confirmed: the server may not have them yet. */
  private readonly unconfirmed = new Set<string>();
  private readonly waiters = new Set<Waiter>();
  private count = 0;

  /** Sent or counted, and not come. */
  get waiting(): number {
    return this.count;
  }

  /** Of these the server surely has so many. */
  get known(): number {
    return Math.max(0, this.count - this.unconfirmed.size);
  }

  /** So many are there, as the server says. */
  counted(count: number): void {
    this.count = count;
  }

  sent(id: string): void {
    this.count += 1;
    this.unconfirmed.add(id);
  }

  /** The server has it, or it is not known whether it does. */
  answered(id: string): void {
    this.unconfirmed.delete(id);
  }

  /** A message has come; its id where it is of Treadle. */
  came(id: string | undefined): void {
    this.count = Math.max(0, this.count - 1);
    if (id !== undefined) this.unconfirmed.delete(id);
    for (const waiter of this.waiters) {
      waiter.left -= 1;
      if (waiter.left <= 0) waiter.end();
    }
  }

  /** Nothing comes any more. */
  lost(): void {
    for (const waiter of this.waiters) waiter.end();
  }

  /** Waits until so many more have come. False: they have not within this time; milliseconds. */
  next(count: number, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(waiter.left <= 0);
      };
      const waiter: Waiter = { left: count, end };
      const timer = setTimeout(end, ms);
      this.waiters.add(waiter);
    });
  }
}
