import type { KeyboardEvent } from 'react';
import css from './controls.module.css';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
}

/** Tabs of a pane; arrows move between them. */
export function Tabs({ tabs, current, onPick, label }: { readonly tabs: readonly Tab[]; readonly current: string; readonly onPick: (id: string) => void; readonly label: string }) {
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex(({ id }) => id === current);
    const next = (at + step + tabs.length) % tabs.length;
    onPick(tabs[next]?.id ?? current);
    (event.currentTarget.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className={css.tabs} onKeyDown={move}>
      {tabs.map(({ id, title, count }) => (
        <button key={id} type="button" role="tab" aria-selected={id === current} tabIndex={id === current ? 0 : -1} className={css.tab} onClick={() => onPick(id)}>
          {title}{count !== undefined && <span className={css.count}>{count}</span>}
        </button>
      ))}
    </div>
  );
}
