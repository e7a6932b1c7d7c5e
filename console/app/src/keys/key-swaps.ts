/** Keys of one character that a person has moved: the key of the page → the key to press. Two keys swap their places, so that no command loses its own. */
export type OwnKeys = Readonly<Record<string, string>>;

export function readOwnKeys(text: string | null): OwnKeys {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    const pairs = typeof value === 'object' && value !== null ? Object.entries(value).filter((pair): pair is [string, string] => pair.every((key) => typeof key === 'string' && isMovable(key))) : [];
    const isSwapped = new Set(pairs.map(([, own]) => own)).size === pairs.length && pairs.every(([, own]) => pairs.some(([key]) => key === own));
    return isSwapped ? Object.fromEntries(pairs) : {};
  } catch {
    return {}; // Written by hand, or cut: as the page has it.
  }
}

/** Whether a key can be moved: one visible character that is no digit. */
export function isMovable(key: string): boolean {
  return /^[^\s\d]$/u.test(key);
}

/** The keys after `key` is to be pressed as `own`; whatever was there goes to the former place of `key`. */
export function swapped(keys: OwnKeys, key: string, own: string): OwnKeys {
  const other = meantBy(keys, own);
  const all = { ...keys, [key]: own, [other]: pressedFor(keys, key) };
  return Object.fromEntries(Object.entries(all).filter(([from, to]) => from !== to));
}

/** What is pressed for a key of the page, or each of a sequence. */
export function pressedFor(keys: OwnKeys, key: string): string {
  return key.split(' ').map((one) => keys[one] ?? one).join(' ');
}

/** The key of the page that a pressed one means. */
export function meantBy(keys: OwnKeys, pressed: string): string {
  return Object.entries(keys).find(([, own]) => own === pressed)?.[0] ?? pressed;
}
