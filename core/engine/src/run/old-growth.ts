import { threadBytes } from '@treadle/api';

/** By less the old generation shrinks also when rests of its pages are given back. */
const COLLECTED_BYTES = 2 ** 20;

/** What has come to the old generation of this thread, and of buffers, since V8 or somebody else collected all of it; to be asked often. */
export class OldGrowth {
  /** Bytes of the old generation that were left then: about what is alive. */
  alive = 0;
  private buffers = 0;
  private last = 0;

  constructor(private readonly bytes = threadBytes) {
    this.begin();
  }

  /** In bytes. */
  since(): number {
    const { old, buffers } = this.bytes();
    if (old < this.last - COLLECTED_BYTES) this.begin();
    this.last = old;
    this.alive = Math.min(this.alive, old);
    this.buffers = Math.min(this.buffers, buffers);
    return old - this.alive + buffers - this.buffers;
  }

  /** Counts from now on. */
  begin(): void {
    const { old, buffers } = this.bytes();
    this.alive = this.last = old;
    this.buffers = buffers;
  }
}
