import { type KeyboardEvent, useState } from 'react';
import { commands } from '../keys/commands.js';
import { nameOfKey } from '../keys/name-of-key.js';
import { isMovable, pressedFor } from '../keys/key-swaps.js';
import { moveKey, resetKeys } from '../keys/own-keys.js';
import { Button, Kbd } from '../parts/controls.js';
import { useOwnKeys } from '../parts/kbd.js';
import { Modal } from '../parts/modal.js';
import css from './shell.module.css';
import { MOD } from './top-bar.js';

/** Each thing that can be done here by keys; several commands may be called the same. */
function keysByTitle(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { title, keys = [] } of commands()) if (keys.length > 0) found.set(title, [...new Set([...found.get(title) ?? [], ...keys])]);
  return found;
}

/** The keys that are valid here, and a way to move them. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const [known] = useState(() => keysByTitle());
  const [asked, setAsked] = useState<string>();
  const own = useOwnKeys();
  return (
    <Modal title="Keys that work here" onClose={onClose} wide>
      <ul className={css.keys}>
        {[...known].reverse().map(([title, keys]) => (
          <li key={title}><span>{title}</span><span>{keys.map((key) => (isMovable(key) ? <KeyMover key={key} of={key} title={title} asked={asked === `${title} ${key}`} onAsk={(is) => setAsked(is ? `${title} ${key}` : undefined)} /> : <Kbd key={key}>{key.replace('mod', MOD)}</Kbd>))}</span></li>
        ))}
      </ul>
      <p className="muted">A click on a key moves it: press the one that you want. What was there before goes to the place of the former, in all views. Keys of one letter can be switched off: {MOD}+K, then “Switch keys of one letter off”.</p>
      {Object.keys(own).length > 0 && <div><Button onClick={resetKeys}>All keys as they were</Button></div>}
    </Modal>
  );
}

interface MoverProps {
  readonly of: string;
  readonly title: string;
  readonly asked: boolean;
  readonly onAsk: (is: boolean) => void;
}

function KeyMover({ of, title, asked, onAsk }: MoverProps) {
  const own = pressedFor(useOwnKeys(), of);
  const press = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const key = nameOfKey(event.nativeEvent);
    if (!asked || key === undefined || key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (isMovable(key)) moveKey(of, key);
    if (isMovable(key) || key === 'Escape') onAsk(false);
  };
  return <Button look="plain" on={asked} aria-label={asked ? `Press the key for ${title}` : `Key of ${title}: ${own}`} onKeyDown={press} onBlur={() => asked && onAsk(false)} onClick={() => onAsk(!asked)}>{asked ? 'press a key' : <Kbd>{of}</Kbd>}</Button>;
}
