import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { ApiError } from '../api/client.js';
import { useCommands } from '../keys/commands.js';
import { classes, Kbd } from './controls.js';
import css from './query-bar.module.css';

interface Props {
  readonly value: string;
  readonly onQuery: (query: string) => void;
  readonly label: string;
  readonly example: string;
  /** Offered while typing, e.g. `level:error`. */
  readonly suggestions?: readonly string[];
  /** What the server says of the query. */
  readonly error?: ApiError | null | undefined;
}

/** The query of a view; a fault is marked at its place. */
export function QueryBar({ value, onQuery, label, example, suggestions = [], error }: Props) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  useEffect(() => setText(value), [value]);
  useCommands([{ title: `Query: ${label}`, keys: ['/'], run: () => input.current?.focus() }]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onQuery(text.trim());
  };
  const leave = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    input.current?.blur();
  };
  const words = text.split(' ');
  const begun = words.slice(0, -1).join(' ');
  const bad = error?.code === 'invalid_query' || error?.code === 'invalid_argument';
  return (
    <form className={css.form} onSubmit={submit} role="search">
      <input
        ref={input} className={classes(css.input, bad && css.bad)} value={text} aria-label={label} placeholder={example} list={list} spellCheck={false} autoComplete="off"
        aria-invalid={bad} onKeyDown={leave} onChange={(event) => setText(event.target.value)} onBlur={() => text.trim() !== value && onQuery(text.trim())}
      />
      <datalist id={list}>{suggestions.slice(0, 40).map((one) => <option key={one} value={begun === '' ? one : `${begun} ${one}`} />)}</datalist>
      <span className={css.key} aria-hidden="true"><Kbd>/</Kbd></span>
      {bad && error && <div className={css.fault} role="alert"><Marked text={value} at={error.at} />{error.message}</div>}
    </form>
  );
}

function Marked({ text, at }: { readonly text: string; readonly at: ApiError['at'] }) {
  return at && <pre>{text.slice(0, at.from)}<mark>{text.slice(at.from, at.to) || ' '}</mark>{text.slice(at.to)}</pre>;
}
