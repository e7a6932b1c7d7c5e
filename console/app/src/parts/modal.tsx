import { type ReactNode, useEffect, useRef } from 'react';
import { Button, classes } from './controls.js';
import css from './modal.module.css';

/** A dialog that keeps the focus until it is closed; Escape closes. */
export function Modal({ title, onClose, children, wide }: { readonly title: string; readonly onClose: () => void; readonly children: ReactNode; readonly wide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open !== false) return;
    dialog.current.showModal();
    // What is to be filled in, not the button that closes.
    dialog.current.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, []);
  return (
    <dialog ref={dialog} className={classes(css.dialog, wide && css.wide)} aria-label={title} onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <div className={css.head}><h2>{title}</h2><Button look="plain" aria-label="Close" onClick={onClose}>✕</Button></div>
      <div className={css.body}>{children}</div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function ModalFoot({ children }: { readonly children: ReactNode }) {
  return <div className={css.foot}>{children}</div>;
}
