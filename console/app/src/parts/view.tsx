import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { useCommands } from '../keys/commands.js';
import { taste } from '../theme/taste.js';
import { Link } from '../url/link.js';
import { useParam } from '../url/location.js';
import { Button, Kbd } from './controls.js';
import css from './view.module.css';

/** A view: its bar and what is below. */
export function View({ title, bar, children }: { readonly title: string; readonly bar?: ReactNode; readonly children: ReactNode }) {
  return <div className={css.view}><div className={css.head}><h1>{title}</h1>{bar}</div>{children}</div>;
}

/** The parts of a view beside each other. */
export function Columns({ children }: { readonly children: ReactNode }) {
  return <div className={css.body}>{children}</div>;
}

export function Side({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return <div className={css.side} role="navigation" aria-label={label} tabIndex={0}>{children}</div>;
}

export function Content({ children }: { readonly children: ReactNode }) {
  return <div className={css.content}>{children}</div>;
}

/** Content that scrolls as a whole. */
export function ScrollPage({ children, label }: { readonly children: ReactNode; readonly label: string }) {
  return <div className={css.page} tabIndex={0} role="region" aria-label={label}>{children}</div>;
}

export function SideLink({ to, current, children }: { readonly to: string; readonly current: boolean; readonly children: ReactNode }) {
  return <Link to={to} className={css.sideItem} {...current && { 'aria-current': 'true' as const }}>{children}</Link>;
}

export function SideTitle({ children }: { readonly children: ReactNode }) {
  return <h3 className={css.sideTitle}>{children}</h3>;
}

const [NARROWEST, WIDEST, USUAL, KEY_STEP] = [260, 900, 380, 24];

/** What is selected, beside the list, or as large as the view; Escape makes it small, then closes it. Its width is a matter of taste. */
export function Inspector({ title, onClose, children, tools }: { readonly title: ReactNode; readonly onClose: () => void; readonly children: ReactNode; readonly tools?: ReactNode }) {
  const [width, setWidth] = useState(() => Number(taste.read('inspector')) || USUAL);
  const resize = (to: number): void => {
    const next = Math.max(NARROWEST, Math.min(WIDEST, to));
    setWidth(next);
    taste.keep('inspector', String(next));
  };
  const [full, setFull] = useParam('full');
  const isFull = full !== '';
  const grow = (): void => setFull(isFull ? null : 'yes', { replace: true });
  const close = (): void => {
    if (isFull) grow();
    onClose();
  };
  useCommands([
    { title: 'Close the inspector', keys: ['Escape'], quiet: true, run: isFull ? grow : onClose },
    { title: 'Inspector beside the list, or as large as the view', keys: ['Shift+Enter'], run: grow },
  ]);
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons === 1) resize(document.body.clientWidth - event.clientX);
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    event.stopPropagation();
    resize(width + (event.key === 'ArrowLeft' ? KEY_STEP : -KEY_STEP));
  };
  return (
    <aside className={css.inspector} style={{ width }} aria-label="Inspector" data-full={isFull}>
      <div
        className={css.grip} role="separator" aria-orientation="vertical" aria-label="Width of the inspector" aria-valuenow={width} aria-valuemin={NARROWEST} aria-valuemax={WIDEST} tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)} onPointerMove={drag} onKeyDown={keys}
      />
      <div className={css.inspectorHead}><h2 className="grow truncate">{title}</h2>{tools}<Button look="plain" className={css.grow} aria-label={isFull ? 'Beside the list' : 'As large as the view'} title="Shift+Enter" onClick={grow}>{isFull ? '⇥' : '⤢'}</Button><Button look="plain" onClick={close}>✕ <span className="hidden-text">Close the inspector</span><Kbd>Esc</Kbd></Button></div>
      <div className={css.inspectorBody} tabIndex={0} role="region" aria-label="Details">{children}</div>
    </aside>
  );
}
