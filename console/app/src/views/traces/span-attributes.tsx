import { useState } from 'react';
import type { SpanRow } from '../../api/types.generated.js';
import { Button, Input, Pairs } from '../../parts/controls.js';
import { useColumns } from '../../url/use-columns.js';
import css from './trace-detail.module.css';

/** From so many on there is something to search. */
const MANY = 8;

/** Attributes of a span; each can be shown as a column of the waterfall and of the table. */
export function SpanAttributes({ of: { attributes } }: { readonly of: SpanRow }) {
  const [text, setText] = useState('');
  const [columns, toggle] = useColumns();
  const all = Object.entries(attributes);
  const shown = all.filter(([name, value]) => `${name} ${String(value)}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      {all.length >= MANY && <Input type="search" aria-label="Find among the attributes" placeholder="Find among the attributes" value={text} onChange={(event) => setText(event.target.value)} />}
      <Pairs items={shown.map(([name, value]) => [name, <span key={name} className={css.attribute}><span className="mono grow">{String(value)}</span><Button look="plain" on={columns.includes(name)} aria-label={`Column ${name}`} onClick={() => toggle(name)}>column</Button></span>])} />
    </>
  );
}
