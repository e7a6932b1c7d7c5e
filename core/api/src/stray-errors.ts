/**
 * Takes an error that nobody caught, if it is its own; returns whether it is. `claim`: `own` when only what is known to be its own
 * counts, `any` when nobody knew the error and it may be anybody's.
 */
export type StrayErrorTaker = (error: unknown, origin: 'uncaughtException' | 'unhandledRejection', claim: 'own' | 'any') => boolean;

const TAKERS = Symbol.for('treadle.stray-error-takers');

/** One list per process, whatever the number of copies of this package. */
function takers(): Set<StrayErrorTaker> {
  const shared = globalThis as { [TAKERS]?: Set<StrayErrorTaker> };
  return (shared[TAKERS] ??= new Set());
}

/**
 * For those that run code of the application inside the engine: such an error need not end the engine when the code made it.
 * Ends with the returned function.
 */
export function takeStrayErrors(taker: StrayErrorTaker): () => void {
  takers().add(taker);
  return () => takers().delete(taker);
}

/** Offers an error to those who may have made it; true when one of them has taken it. For the one who listens for such errors. */
export function offerStrayError(error: unknown, origin: Parameters<StrayErrorTaker>[1]): boolean {
  return (['own', 'any'] as const).some((claim) => [...takers()].some((taker) => taker(error, origin, claim)));
}
