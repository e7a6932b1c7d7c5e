import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** So many answers end the calls. */
const ENOUGH = 20;
/** So many come one a turn of the event loop; then there is a millisecond between two. */
const CLOSE = 200;

/**
 * Makes one call after another until the first ones are answered: some come while others wait for what an adapter has to learn first.
 * Gives the answers, in the order of the calls.
 * @param call makes the call of this number, from 0
 * @throws what the first call that fails fails with
 */
export async function callsUnderWay<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  const calls: Promise<T>[] = [];
  let answered = 0;
  while (answered < ENOUGH) {
    const made = call(calls.length);
    calls.push(made);
    const note = (): void => { answered += 1; };
    made.then(note, note);
    await (calls.length < CLOSE ? nextTurn() : delay(1));
  }
  return Promise.all(calls);
}
