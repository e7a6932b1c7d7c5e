/** Chunks that may wait for a connection's socket, of all its streams together; in bytes. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024;

/**
 * Holds the streams of a connection to what its socket takes: credits bound what one stream has under way, this bounds all of
 * them. Without it hundreds of streams would pile up their first chunks behind a peer that is busy.
 */
export class WriteAhead {
  readonly #waiting = new Set<() => void>();
  /** Pushed and not yet taken by the system. */
  #bytes = 0;
  /** Pushed since the last frame. */
  #pushed = 0;

  /** False: not now; `go` will be called, once, when there is room. */
  admits(go: () => void): boolean {
    if (this.#bytes < MAX_WAITING_BYTES) return true;
    this.#waiting.add(go);
    return false;
  }

  /** So many bytes were pushed and go out with the next frame. */
  push(bytes: number): void {
    this.#bytes += bytes;
    this.#pushed += bytes;
  }

  /** Asked when a frame is written: what to call when the system has taken it. Undefined when nobody wants to know. */
  frame(): (() => void) | undefined {
    const bytes = this.#pushed;
    if (bytes === 0) return undefined;
    this.#pushed = 0;
    return () => this.#written(bytes);
  }

  /** `go` does not wait any more. */
  forget(go: () => void): void {
    this.#waiting.delete(go);
  }

  #written(bytes: number): void {
    this.#bytes -= bytes;
    for (const go of this.#waiting) {
      if (this.#bytes >= MAX_WAITING_BYTES) return;
      this.#waiting.delete(go);
      go();
    }
  }
}
