/** Name of a slot, e.g. `queue`; the block part of the adapters' class IDs. */
export type SlotId = string;

/** A place where an adapter plugs in, typed by the adapter's interface and its capabilities. */
export interface Slot<A, Caps> {
  readonly id: SlotId;
  /** Never present; carry the types. */
  readonly _adapter?: A;
  readonly _capabilities?: Caps;
}

/** Declares a slot. */
export function slot<A, Caps>(id: SlotId): Slot<A, Caps> {
  return Object.freeze({ id });
}

/** A capability that a module, or an adapter, needs from the adapter in one of its slots, given its config. */
export interface Requirement {
  /** Key in `ModuleSpec.slots`, or in `AdapterSpec.slots`. */
  readonly slot: string;
  readonly capability: string;
  /** Default: any truthy value other than `'none'`. */
  readonly accepts?: (value: unknown) => boolean;
}
