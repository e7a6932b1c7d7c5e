/** What the work resolves to; undefined when that takes longer than `ms`, milliseconds of real time. The work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(resolve, ms, undefined); });
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  return first;
}
