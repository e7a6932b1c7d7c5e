import { OperationError } from '../dispatch/operations.js';
import type { ModuleContext } from '../lifecycle.js';
import type { Unsubscribe } from '../unsubscribe.js';

/** A store that several adapters of an engine share. It says in an adapter's health how it is, until what `use` gives is called. */
export interface SharedStore {
  use(user: ModuleContext): Unsubscribe;
}

/** What an adapter opens in a store, e.g. its queues. */
interface Closable {
  close(): unknown;
}

interface Opened<Store, Part> {
  readonly store: Store;
  readonly part: Part;
  readonly leave: Unsubscribe;
}

/** What an adapter works on between `init` and `stop`: a store that it shares with others, and its own part of it. */
export class StorePart<Store extends SharedStore, Part extends Closable> {
  private opened: Opened<Store, Part> | undefined;

  /** @param slot of the adapter, for errors */
  constructor(private readonly slot: string) {}

  /** @throws what `opening` fails with; the store is left then */
  async open(context: ModuleContext, store: Store, opening: (store: Store) => Part | Promise<Part>): Promise<void> {
    const leave = store.use(context);
    try {
      this.opened = { store, part: await opening(store), leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Closes the part and leaves the store, which the engine closes after its last user. Nothing happens where it is not open. */
  async close(): Promise<void> {
    const { opened } = this;
    this.opened = undefined;
    try {
      await opened?.part.close();
    } finally {
      opened?.leave();
    }
  }

  /** @throws {OperationError} `StorageClosed` before `open` and after `close`; `store` too */
  get part(): Part {
    return this.known.part;
  }

  get store(): Store {
    return this.known.store;
  }

  private get known(): Opened<Store, Part> {
    if (!this.opened) throw new OperationError('StorageClosed', `the ${this.slot} adapter is not open`);
    return this.opened;
  }
}
