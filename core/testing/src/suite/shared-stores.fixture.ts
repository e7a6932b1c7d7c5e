/** Stores in memory that several engines of one process have, by the root of the engines; one is gone with its last user. */
export class SharedStores<T> {
  private readonly open = new Map<string, { readonly store: T; readonly users: Set<object> }>();

  take(root: string, user: object, make: () => T): T {
    const { store, users } = this.open.get(root) ?? { store: make(), users: new Set<object>() };
    this.open.set(root, { store, users: users.add(user) });
    return store;
  }

  leave(root: string, user: object): void {
    const users = this.open.get(root)?.users;
    users?.delete(user);
    if (users?.size === 0) this.open.delete(root);
  }
}
