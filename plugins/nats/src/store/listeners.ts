import { type BeatListener, Beats, type Unsubscribe } from '@treadle/api';

/** Who wants to know what happens to the store. */
export interface StoreListener extends BeatListener {
  /** Another engine has told something. */
  notice?(kind: string, text: string): void;
  /** The connection is lost. */
  away?(): void;
}

/** Tells listeners what happens to the store. */
export class Listeners extends Beats {
  private readonly others = new Set<StoreListener>();

  override add(listener: StoreListener): Unsubscribe {
    const end = super.add(listener);
    this.others.add(listener);
    return () => {
      end();
      this.others.delete(listener);
    };
  }

  notice(kind: string, text: string): void {
    for (const listener of this.others) listener.notice?.(kind, text);
  }

  away(): void {
    for (const listener of this.others) listener.away?.();
  }
}
