/** True when two types are the same, also for `any` and `unknown`. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only for `expectType<Same<…>>()` of the same types. */
export function expectType<Answer extends true>(...checked: Answer[]): void {
  void checked;
}
