import { useEffect, useState } from 'react';
import { useCommands } from '../../keys/commands.js';
import { Input } from '../../parts/controls.js';
import { useParam } from '../../url/location.js';
import { GROUP_FIELDS } from './grouping.js';
import css from './trace-groups.module.css';

const OTHER = 'attribute';

/** By what the list is grouped, if it is; any attribute of a span may be named. It stands in the address as `by`. */
export function GroupChoice() {
  const [by, setBy] = useParam('by');
  const known = GROUP_FIELDS.some((field) => field.by === by);
  const isOther = by !== '' && !known;
  useCommands([{ title: 'Traces by their Step, or one by one', keys: ['b'], run: () => setBy(by === '' ? 'step' : null) }]);
  return (
    <>
      <select className={css.choice} aria-label="Group traces by" value={isOther ? OTHER : by} onChange={({ target }) => setBy(target.value || null)}>
        <option value="">One by one</option>{GROUP_FIELDS.map((field) => <option key={field.by} value={field.by}>By {field.title}</option>)}<option value={OTHER}>By an attribute…</option>
      </select>
      {isOther && <AttributeName name={by === OTHER ? '' : by} onName={(name) => setBy(name || OTHER)} />}
    </>
  );
}

/** Written down at Enter, or when somebody goes on. It stays the same field, with the focus, when the address has another name. */
function AttributeName({ name, onName }: { readonly name: string; readonly onName: (name: string) => void }) {
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const write = (): void => void (text.trim() !== name && onName(text.trim()));
  return <Input aria-label="Attribute" placeholder="e.g. tenant" value={text} style={{ width: 140 }} onChange={({ target }) => setText(target.value)} onKeyDown={({ key }) => void (key === 'Enter' && write())} onBlur={write} />;
}

/** The field to ask for; empty while an attribute is to be named. */
export const askedField = (by: string): string => (by === OTHER ? '' : by);
