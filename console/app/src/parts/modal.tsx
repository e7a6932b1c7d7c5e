import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button, classes } from './controls.js';
import css from './modal.module.css';
import { openedModal } from './open-modal.js';

/** A dialog that keeps the focus until it is closed, and gives it back then, also when it is taken away while it is open. Escape closes. */
export function Modal({ title, onClose, children, wide }: { readonly title: string; readonly onClose: () => void; readonly children: ReactNode; readonly wide?: boolean }) {
  const place = useRef<HTMLDialogElement>(null);
  const closed = useRef(onClose);
  closed.current = onClose;
  useLayoutEffect(() => {
    const dialog = place.current;
    if (!dialog) return undefined;
    const end = (): void => closed.current();
    dialog.addEventListener('close', end);
    dialog.showModal();
    // What is to be filled in, not the button that closes.
    dialog.querySelector<HTMLElement>('input, textarea, select')?.focus();
    const leave = openedModal(dialog);
    return () => {
      leave();
      dialog.removeEventListener('close', end);
      dialog.close();
    };
  }, []);
  return (
    <dialog ref={place} tabIndex={-1} className={classes(css.dialog, wide && css.wide)} aria-label={title} onClick={(event) => event.target === place.current && onClose()}>
      <div className={css.head}><h2>{title}</h2><Button look="plain" aria-label="Close" onClick={onClose}>✕</Button></div>
      <div className={css.body}>{children}</div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function ModalFoot({ children }: { readonly children: ReactNode }) {
  return <div className={css.foot}>{children}</div>;
}
