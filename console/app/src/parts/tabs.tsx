import type { KeyboardEvent } from 'react';
import css from './controls.module.css';
import { Note } from './data-state.js';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number | undefined;
  /** There are more than `count`. */
  readonly more?: boolean;
}

/** Tabs of a pane; arrows move between them. One that the address names and that is not among them is said to be none. */
export function Tabs({ tabs, current, onPick, label }: { readonly tabs: readonly Tab[]; readonly current: string; readonly onPick: (id: string) => void; readonly label: string }) {
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex(({ id }) => id === current);
    const next = at < 0 ? 0 : (at + step + tabs.length) % tabs.length;
    onPick(tabs[next]?.id ?? current);
    (event.currentTarget.children[next] as HTMLElement | undefined)?.focus();
  };
  const isKnown = tabs.some(({ id }) => id === current);
  const reached = isKnown ? current : tabs[0]?.id;
  return (
    <>
      <div role="tablist" aria-label={label} className={css.tabs} onKeyDown={move}>
        {tabs.map(({ id, title, count, more }) => (
          <button key={id} type="button" role="tab" aria-selected={id === current} tabIndex={id === reached ? 0 : -1} className={css.tab} onClick={() => onPick(id)}>
            {title}{count !== undefined && <span className={css.count}>{count}{more && '+'}</span>}
          </button>
        ))}
      </div>
      {!isKnown && <Note>There is no “{current}” here: choose {alternatives(tabs.map(({ title }) => title))}.</Note>}
    </>
  );
}

const alternatives = (names: readonly string[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(names).replace(/, or /, ' or ');
