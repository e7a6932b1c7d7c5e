/** Lets many write messages at once, or one change subscriptions while nothing of the others is under way. */
export class WriteGate {
  private closed: Promise<void> | undefined;
  private inside = 0;
  private emptied: (() => void) | undefined;

  /** Undefined when it is open; then `enter` and `leave` follow. */
  get waiting(): Promise<void> | undefined {
    return this.closed;
  }

  enter(): void {
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
    if (this.inside === 0) this.emptied?.();
  }

  /** Runs `act` alone. */
  async exclusive<T>(act: () => Promise<T>): Promise<T> {
    while (this.closed) await this.closed;
    let open = (): void => undefined;
    this.closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.inside > 0) await new Promise<void>((resolve) => void (this.emptied = resolve));
      return await act();
    } finally {
      this.emptied = undefined;
      this.closed = undefined;
      open();
    }
  }
}
