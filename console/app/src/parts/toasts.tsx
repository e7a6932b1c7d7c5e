import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { ApiError } from '../api/client.js';
import { Badge, Button } from './controls.js';
import { useTopPlace } from './open-modal.js';
import css from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
  readonly undo: (() => void) | undefined;
}

const SHOWN_MS = 5_000;
const UNDO_MS = 30_000;
let shown: readonly Toast[] = [];
let next = 0;
const listeners = new Set<() => void>();

function set(toasts: readonly Toast[]): void {
  shown = toasts;
  listeners.forEach((listener) => listener());
}

/** Says what became of an action; with `undo` longer, and with a button for it. */
export function toast(text: string, tone: 'ok' | 'bad' = 'ok', undo?: () => void): void {
  next += 1;
  const id = next;
  const drop = (): void => set(shown.filter((one) => one.id !== id));
  set([...shown, { id, tone, text, undo: undo && (() => {
    drop();
    undo();
  }) }]);
  setTimeout(drop, undo ? UNDO_MS : SHOWN_MS);
}

/** Does something and says when it did not work. Resolves to whether it did. */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done) toast(done);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    toast(error.message, 'bad');
    return false;
  }
}

/** What became of actions, for a while; in a dialog while one is open. */
export function Toasts() {
  const place = useTopPlace();
  const toasts = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => shown);
  return createPortal((
    <div className={css.toasts} role="status" aria-live="polite">
      {toasts.map(({ id, tone, text, undo }) => <div key={id} className={css.toast}><Badge tone={tone}>{tone === 'ok' ? 'done' : 'failed'}</Badge>{text}{undo && <Button onClick={undo}>Undo</Button>}</div>)}
    </div>
  ), place);
}
