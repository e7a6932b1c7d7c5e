/** Longest test of a kit; milliseconds. Runners such as mocha may have a shorter limit of their own; `node --test` has none. */
export const TEST_LIMIT_MS = 180_000;

/** Runs a test; one that does not end fails by its name, with what is open. @throws Error after `limitMs` */
export async function withinLimit(name: string, run: () => Promise<void> | void, limitMs = TEST_LIMIT_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`"${name}" did not end within ${limitMs / 1000} s; open are: ${openNow()}`)), limitMs);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function openNow(): string {
  const kinds = process.getActiveResourcesInfo();
  return [...new Set(kinds)].map((kind) => `${kind} (${kinds.filter((one) => one === kind).length})`).join(', ') || 'nothing';
}
