import { type ReactNode, useEffect, useState } from 'react';
import { Badge, Button, classes } from '../parts/controls.js';
import type { Tone } from '../parts/tone.js';
import { Link } from '../url/link.js';
import css from './watches.module.css';

interface Props {
  readonly to: string;
  readonly name: string;
  readonly tone: Tone;
  readonly word: string;
  readonly children?: ReactNode;
  /** The chip is marked when it changes; empty while it is not known. */
  readonly version: string;
  readonly onLeave: () => void;
}

/** A thing that is watched, with how it is. What changed since somebody pointed at it has a mark. */
export function WatchChip({ to, name, tone, word, children, version, onLeave }: Props) {
  const [seen, setSeen] = useState(version);
  // What it is when the page has asked for it is no change.
  useEffect(() => void (seen === '' && setSeen(version)), [version]);
  // Nor is it one that nobody knows how it is.
  const changed = version !== '' && seen !== '' && seen !== version;
  const look = (): void => void (version !== '' && setSeen(version));
  return (
    <li className={classes(css.chip, changed && css.changed)} onPointerEnter={look} onFocus={look}>
      <span className={css.mark}>{changed && <span title="It changed since you looked"><span aria-hidden="true">◆</span><span className="hidden-text">changed </span></span>}</span>
      <Badge tone={tone}>{word}</Badge><Link to={to} className="mono truncate" title={name}>{name}</Link>{children}
      <Button look="plain" onClick={onLeave} aria-label={`Watch ${name} no longer`}>✕</Button>
    </li>
  );
}
