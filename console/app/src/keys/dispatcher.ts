import { taste } from '../theme/taste.js';
import { type Command, commands } from './commands.js';
import { meantBy } from './key-swaps.js';
import { nameOfKey } from './name-of-key.js';
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
    const offered = validNow();
    const found = offered.find(({ keys }) => keys?.includes(sequence));
    if (found) {
      event.preventDefault();
      found.run();
    } else if (sequence === key && offered.some(({ keys }) => keys?.some((one) => one.startsWith(`${key} `)))) prefix = key;
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}

/** Whether a modal dialog is open: it has its own keys, and what lies behind it has none. */
export function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function validNow(): readonly Command[] {
  return isInDialog() ? commands().filter(({ inDialogs }) => inDialogs) : commands();
}

function isTyped({ target }: KeyboardEvent, key: string): boolean {
  if (key.startsWith('mod+') || key === 'Escape') return false;
  if (target instanceof Element && (target.closest(TEXT_INPUT) || (key.startsWith('Arrow') && target.matches('input[type=range]')))) return true;
  if (target instanceof HTMLElement && (key === 'Enter' || key === 'Space') && target.closest('button, a, summary, [role=tab]')) return true;
  return key.length === 1 && !taste.letterKeys;
}
