import { useSyncExternalStore } from 'react';

let open: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

function set(dialogs: readonly HTMLDialogElement[]): void {
  open = dialogs;
  listeners.forEach((listener) => listener());
}

/** Notes that a modal dialog is open; gives what takes the note away. */
export function openedModal(dialog: HTMLDialogElement): () => void {
  set([...open, dialog]);
  return () => set(open.filter((one) => one !== dialog));
}

/** Where something must be drawn to lie above all and be reached: the modal dialog that was opened last, else the page. The rest is inert while one is open. */
export function useTopPlace(): HTMLElement {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => open.at(-1)) ?? document.body;
}
