import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useRef } from 'react';
import controls from './controls.module.css';
import css from './menu.module.css';

/** A button with a few choices below it. It closes when one is taken, when the focus leaves it, and by Escape. */
export function Menu({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const place = useRef<HTMLDetailsElement>(null);
  const close = (): void => void (place.current && (place.current.open = false));
  const left = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void => void (relatedTarget !== null && !currentTarget.contains(relatedTarget as Node) && close());
  const escape = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Escape' || !place.current?.open) return;
    event.stopPropagation();
    close();
    place.current.querySelector('summary')?.focus();
  };
  const taken = ({ target }: MouseEvent): void => void ((target as Element).closest('a, button') && close());
  return (
    <details ref={place} className={css.menu} onBlur={left} onKeyDown={escape}>
      <summary className={controls.button}>{title} <span aria-hidden="true">▾</span></summary>
      <div className={css.choices} onClick={taken}>{children}</div>
    </details>
  );
}

/** A choice that a browser saves as a file. `hint` says what it is for. */
export function SaveLink({ href, file, title, hint }: { readonly href: string; readonly file?: string; readonly title: string; readonly hint: string }) {
  return <a className={css.choice} href={href} download={file ?? ''}><span>{title}</span><span className="muted">{hint}</span></a>;
}

/** A choice that does something. */
export function Choice({ onPick, title, hint }: { readonly onPick: () => void; readonly title: string; readonly hint?: string }) {
  return <button type="button" className={css.choice} onClick={onPick}><span>{title}</span>{hint !== undefined && <span className="muted">{hint}</span>}</button>;
}
