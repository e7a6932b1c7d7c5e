import { useState } from 'react';
import { Button } from '../../parts/controls.js';
import css from './stack.module.css';

const FOREIGN = /node_modules|node:|site-packages|\/treadle\//;

/** A stack; frames outside the application are folded. */
export function Stack({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false);
  const lines = text.split('\n');
  const foreign = lines.filter((line) => FOREIGN.test(line)).length;
  return (
    <div>
      <ul className={css.stack} tabIndex={0} aria-label="Stack">{lines.filter((line) => all || !FOREIGN.test(line)).map((line, at) => <li key={`${at} ${line}`} className={FOREIGN.test(line) ? css.foreign : css.own}>{line}</li>)}</ul>
      {foreign > 0 && <Button look="plain" onClick={() => setAll(!all)}>{all ? 'Fold' : 'Show'} {foreign} frames outside the application</Button>}
    </div>
  );
}
