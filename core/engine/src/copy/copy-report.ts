/** How many rows of a kind both stores have. */
export interface CopiedKind {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  /** False when something is missing at the target. A kind that one of the adapters keeps in another form always agrees; a note says so. */
  readonly agrees: boolean;
}

/** What became of one slot. */
export interface CopiedSlot {
  readonly slot: string;
  /** The stores, for people. */
  readonly from: string;
  readonly to: string;
  /** `same_store`: both configurations name it, nothing is to be done. `complete`: an earlier run had copied it. `planned`: nothing was copied, as asked for. */
  readonly outcome: 'copied' | 'complete' | 'same_store' | 'planned';
  readonly kinds: readonly CopiedKind[];
  /** What the target does not keep as it was. */
  readonly notes: readonly string[];
}

/** What became of a copy. */
export interface CopyReport {
  /** Every row of the source is at the target. */
  readonly agrees: boolean;
  readonly slots: readonly CopiedSlot[];
}

/** How far the copy of a slot has come. */
export interface CopyProgress {
  readonly slot: string;
  readonly kind: string;
  /** Rows of the kind that this run has copied. */
  readonly rows: number;
}
