import type { Binding, Token } from '@treadle/api';

/** A provider of ports, by its place in the start order. */
export interface PortOwner {
  readonly order: number;
}

/** Which running module provides what. */
export class PortTable {
  private readonly bindings = new Map<string, { owner: PortOwner; value: unknown }[]>();

  add(owner: PortOwner, bindings: readonly Binding[]): void {
    for (const { token, value } of bindings) {
      const others = this.bindings.get(token.id) ?? [];
      this.bindings.set(token.id, [...others, { owner, value }]);
    }
  }

  /** The owner has stopped. */
  remove(owner: PortOwner): void {
    for (const [id, bindings] of this.bindings) {
      this.bindings.set(id, bindings.filter((binding) => binding.owner !== owner));
    }
  }

  has(token: Token<unknown>): boolean {
    return token.many || (this.bindings.get(token.id)?.length ?? 0) > 0;
  }

  /** The provider's value; of a many-token a frozen array in start order. */
  get(token: Token<unknown>): unknown {
    const bindings = this.bindings.get(token.id) ?? [];
    if (!token.many) return bindings[0]?.value;
    const sorted = [...bindings].sort((a, b) => a.owner.order - b.owner.order);
    return Object.freeze(sorted.map((binding) => binding.value));
  }
}
