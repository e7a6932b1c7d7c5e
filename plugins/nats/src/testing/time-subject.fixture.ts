/** Where the kit of a store answers with the time, or with nothing for that of the server. */
export function timeSubject(store: string): string {
  return `kit.time.${store}`;
}
