import type { BodyRef, Refs } from './delivery.js';

/** How often the messages of the log are needed for the bodies that lie in them. */
export class BodyUses {
  /** Sequence -> uses. */
  readonly uses = new Map<number, number>();
  /** Nobody needs these any more; they are still in the log. */
  readonly freed = new Set<number>();
  /** Is told of each. */
  onFreed: ((seq: number) => void) | undefined;

  use({ body, data }: Refs): void {
    this.hold(body[0]);
    if (data) this.hold(data[0]);
  }

  release({ body, data }: Refs): void {
    this.drop(body[0]);
    if (data) this.drop(data[0]);
  }

  /** Keeps the messages of these bodies while it is found out who needs them. */
  holdAll(bodies: readonly BodyRef[]): void {
    for (const [seq] of bodies) this.hold(seq);
  }

  dropAll(bodies: readonly BodyRef[]): void {
    for (const [seq] of bodies) this.drop(seq);
  }

  private hold(seq: number): void {
    this.uses.set(seq, (this.uses.get(seq) ?? 0) + 1);
    this.freed.delete(seq);
  }

  private drop(seq: number): void {
    const left = (this.uses.get(seq) ?? 0) - 1;
    if (left > 0) {
      this.uses.set(seq, left);
      return;
    }
    this.uses.delete(seq);
    this.freed.add(seq);
    this.onFreed?.(seq);
  }
}
