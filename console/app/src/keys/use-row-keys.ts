import { useCommands } from './commands.js';

/** `j`, `k` and arrows move through rows, Enter opens. */
export function useRowKeys(length: number, current: number, { onMove, onOpen }: { readonly onMove: (to: number) => void; readonly onOpen?: (at: number) => void }): void {
  const to = (at: number): void => void (length > 0 && onMove(Math.max(0, Math.min(length - 1, at))));
  useCommands([
    { title: 'Next row', keys: ['j', 'ArrowDown'], quiet: true, run: () => to(current + 1) },
    { title: 'Previous row', keys: ['k', 'ArrowUp'], quiet: true, run: () => to(current < 0 ? 0 : current - 1) },
    ...onOpen ? [{ title: 'Open the row', keys: ['Enter'], quiet: true, run: () => void (current >= 0 && onOpen(current)) }] : [],
  ]);
}
