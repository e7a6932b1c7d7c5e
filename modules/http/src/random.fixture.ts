/** A small generator whose sequence its seed gives away: a failure can be run again. Gives integers from 0 to below `below`. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
