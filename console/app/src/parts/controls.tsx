import type { ButtonHTMLAttributes, InputHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { Link } from '../url/link.js';
import css from './controls.module.css';
import type { Tone } from './tone.js';

export { Kbd } from './kbd.js';

/** Class names that are there. */
export const classes = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(' ');

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'danger' | 'plain' | undefined;
  readonly on?: boolean;
}

const stay = (event: MouseEvent): void => event.preventDefault();

/** One that is disabled does nothing, but it can be reached and keeps the focus, so that its title can be heard. */
export function Button({ look, on, className, disabled = false, onClick, ...rest }: ButtonProps) {
  return <button type="button" {...rest} {...disabled && { 'aria-disabled': true }} onClick={disabled ? stay : onClick} {...on !== undefined && { 'aria-pressed': on }} className={classes(css.button, look && css[look], on && css.on, className)} />;
}

export function ButtonLink({ to, look, children, title }: { readonly to: string; readonly look?: 'primary'; readonly children: ReactNode; readonly title?: string }) {
  return <Link to={to} title={title} className={classes(css.button, look && css[look])}>{children}</Link>;
}

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input spellCheck={false} autoComplete="off" {...rest} className={classes(css.input, className)} />;
}

export function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return <label className={css.field}><span>{label}</span>{children}</label>;
}

const SHAPES: Readonly<Record<Tone, string>> = { ok: '✓', warn: '▲', bad: '■', info: '●', plain: '' };

/** A state as shape, word and colour. */
export function Badge({ tone = 'plain', shape, children, title }: { readonly tone?: Tone; readonly shape?: string; readonly children: ReactNode; readonly title?: string }) {
  const mark = shape ?? SHAPES[tone];
  return <span className={classes(css.badge, tone !== 'plain' && css[tone])} title={title}>{mark && <span aria-hidden="true">{mark}</span>}{children}</span>;
}

export function Panel({ title, children, label }: { readonly title?: ReactNode; readonly children: ReactNode; readonly label?: string }) {
  return <section className={classes(css.panel, 'stack')} aria-label={label}>{title && <h2>{title}</h2>}{children}</section>;
}

/** Names and values, one a line; pairs without a value are left out. */
export function Pairs({ items }: { readonly items: readonly (readonly [name: string, value: ReactNode] | false | undefined)[] }) {
  return (
    <dl className={css.pairs}>
      {items.map((pair) => pair && pair[1] !== undefined && pair[1] !== null && [<dt key={`${pair[0]} name`}>{pair[0]}</dt>, <dd key={`${pair[0]} value`}>{pair[1]}</dd>])}
    </dl>
  );
}
