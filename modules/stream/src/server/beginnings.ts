/** What beginnings of subscriptions may take of memory in all; bytes. */
const MOST = 64 * 1024 * 1024;
/** Smaller ones never wait: it is what every client may have waiting later, too. */
const SMALL = 64 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/**
 * Bounds the beginnings that wait for their clients to read them: each is as large as its group, so that many who do not read
 * would fill the memory. Who joins beyond it waits, first come first served.
 */
export class Beginnings {
  private held = 0;
  private readonly waiting: Waiting[] = [];

  /** Somebody waits. */
  get crowded(): boolean {
    return this.waiting.length > 0;
  }

  /** Counts a beginning; one alone may have any size. Undefined when there is room now. */
  take(bytes: number): Promise<void> | undefined {
    if (bytes <= SMALL || (!this.crowded && this.fits(bytes))) {
      this.held += bytes;
      return undefined;
    }
    return new Promise((go) => void this.waiting.push({ bytes, go }));
  }

  /** A beginning was read, or nobody wants it. */
  give(bytes: number): void {
    this.held -= bytes;
    for (let next = this.waiting[0]; next && this.fits(next.bytes); next = this.waiting[0]) {
      this.waiting.shift();
      this.held += next.bytes;
      next.go();
    }
  }

  private fits(bytes: number): boolean {
    return this.held === 0 || this.held + bytes <= MOST;
  }
}
