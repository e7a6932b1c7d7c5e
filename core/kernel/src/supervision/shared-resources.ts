interface Shared {
  readonly value: Promise<unknown>;
  readonly close: (value: unknown) => Promise<void>;
  readonly users: Set<object>;
}

/** What several instances of one package use together: opened by the first, closed after the last has stopped. */
export class SharedResources {
  private readonly all = new Map<string, Shared>();

  /** The resource of a key; every user of a failed opening gets its error, the next one tries again. */
  async use<T>(user: object, key: string, open: () => Promise<T>, close: (value: T) => Promise<void>): Promise<T> {
    let shared = this.all.get(key);
    if (!shared) {
      shared = { value: (async () => open())(), close: close as (value: unknown) => Promise<void>, users: new Set() };
      this.all.set(key, shared);
    }
    shared.users.add(user);
    try {
      return await shared.value as T;
    } catch (error) {
      if (this.all.get(key) === shared) this.all.delete(key);
      throw error;
    }
  }

  /** The user has stopped: closes what it was the last one of. Errors of closing are returned. */
  async release(user: object): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    for (const [key, shared] of this.all) {
      if (!shared.users.delete(user) || shared.users.size > 0) continue;
      this.all.delete(key);
      try {
        await shared.close(await shared.value);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
