import { useState } from 'react';
import { isNumber, isTree, writeJson } from '../api/json.js';
import { WITHHELD } from '../api/withheld.js';
import { classes } from './controls.js';
import css from './json-tree.module.css';

/** What can be done with a value: its path is `a.b.0`. */
export interface ValueAction {
  readonly label: string;
  readonly title: string;
  run(path: string, value: unknown): void;
}

interface Props {
  readonly value: unknown;
  readonly actions?: readonly ValueAction[];
  /** Levels that are open at first. */
  readonly open?: number;
}

const MOST_MEMBERS = 200;

/** JSON as a tree, numbers digit for digit, text as text. */
export function JsonTree({ value, actions = [], open = 3 }: Props) {
  return <div className={classes(css.tree, css.block)} tabIndex={0} role="group" aria-label="JSON"><Node value={value} path="" depth={0} open={open} actions={actions} /></div>;
}

interface NodeProps {
  readonly name?: string;
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
  readonly open: number;
  readonly actions: readonly ValueAction[];
}

function Node(props: NodeProps) {
  const { name, value, path, actions } = props;
  if (isTree(value) && (Array.isArray(value) ? value.length : Object.keys(value).length) > 0) return <Branch {...props} value={value} />;
  return (
    <span className={css.line} data-value>
      <Name name={name} /><Leaf value={value} />
      {actions.length > 0 && path !== '' && (
        <span className={css.actions}>
          {actions.map(({ label, title, run }) => <button key={label} type="button" className={css.action} title={title} aria-label={`${title}: ${path}`} onClick={() => run(path, value)}>{label}</button>)}
        </span>
      )}
    </span>
  );
}

function Branch({ name, value, path, depth, open, actions }: NodeProps & { readonly value: object }) {
  const [unfolded, setUnfolded] = useState(depth < open);
  const [all, setAll] = useState(false);
  const entries = Object.entries(value);
  const [first, last] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const shown = all ? entries : entries.slice(0, MOST_MEMBERS);
  return (
    <>
      <button type="button" className={css.fold} aria-expanded={unfolded} aria-label={`${unfolded ? 'Fold' : 'Unfold'} ${name ?? 'value'}`} onClick={() => setUnfolded(!unfolded)}>{unfolded ? '▾' : '▸'}</button>
      <Name name={name} />{first}
      {unfolded ? (
        <ul>
          {shown.map(([key, member]) => <li key={key}><Node name={Array.isArray(value) ? undefined : key} value={member} path={path === '' ? key : `${path}.${key}`} depth={depth + 1} open={open} actions={actions} /></li>)}
          {shown.length < entries.length && <li><button type="button" className={css.action} onClick={() => setAll(true)}>{entries.length - shown.length} more</button></li>}
        </ul>
      ) : <span className={css.more}> {entries.length} … </span>}
      {last}
    </>
  );
}

function Name({ name }: { readonly name?: string | undefined }) {
  return name === undefined ? null : <><span className={css.key}>{name}</span>: </>;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (value === WITHHELD) return <span className="muted">{WITHHELD}</span>;
  if (typeof value === 'string') return <span className={css.string}>{JSON.stringify(value)}</span>;
  return <span className={isNumber(value) ? css.number : css.word}>{writeJson(value)}</span>;
}

/** One line of a value, for lists. */
export function preview(value: unknown, most = 160): string {
  const text = typeof value === 'string' ? value : writeJson(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
