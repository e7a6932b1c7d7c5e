import { taste } from '../theme/taste.js';
import { commands } from './commands.js';
import { meantBy } from './key-swaps.js';
import { ownKeys } from './own-keys.js';

const SEQUENCE_MS = 1_200;
const TEXT_INPUT = 'input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable=true], [data-editor]';

/** Runs commands by their keys. In text fields only keys with a modifier, and Escape, are ours. */
export function startKeys(): () => void {
  let [prefix, since] = ['', 0];
  const press = (event: KeyboardEvent): void => {
    const pressed = nameOfKey(event);
    if (event.defaultPrevented || pressed === undefined || isTyped(event, pressed)) return;
    const key = meantBy(ownKeys(), pressed);
    const now = performance.now();
    const sequence = prefix !== '' && now - since < SEQUENCE_MS ? `${prefix} ${key}` : key;
    [prefix, since] = ['', now];
    const found = commands().find(({ keys }) => keys?.includes(sequence));
    if (found) {
      event.preventDefault();
      found.run();
    } else if (sequence === key && commands().some(({ keys }) => keys?.some((one) => one.startsWith(`${key} `)))) prefix = key;
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

/** e.g. `j`, `Space`, `mod+k`, `Shift+Enter`; undefined for a modifier alone. */
export function nameOfKey(event: KeyboardEvent): string | undefined {
  if (event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return undefined;
  const key = event.key === ' ' ? 'Space' : event.key;
  const shift = event.shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${event.metaKey || event.ctrlKey ? 'mod+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${key}`;
}

function isTyped({ target }: KeyboardEvent, key: string): boolean {
  if (key.startsWith('mod+')) return false;
  // A dialog has its own keys, and Escape closes it.
  if (document.querySelector('dialog[open]')) return true;
  if (key === 'Escape') return false;
  if (target instanceof Element && target.closest(TEXT_INPUT)) return true;
  if (target instanceof HTMLElement && (key === 'Enter' || key === 'Space') && target.closest('button, a, summary, [role=tab]')) return true;
  return key.length === 1 && !taste.letterKeys;
}
