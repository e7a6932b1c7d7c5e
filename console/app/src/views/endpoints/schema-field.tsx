import { isTree, readJson, writeJson } from '../../api/json.js';
import { Field, Input } from '../../parts/controls.js';
import controls from '../../parts/controls.module.css';
import { type Schema, schemaOf } from './endpoint.js';
import css from './endpoints.module.css';

interface Props {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly value: unknown;
  /** Undefined leaves the member out. */
  readonly onValue: (value: unknown) => void;
}

const INPUTS: Readonly<Record<string, string>> = { email: 'email', date: 'date', uri: 'url' };

/** One member of an object as a field of a form. */
export function SchemaField({ name, schema, required, value, onValue }: Props) {
  const label = `${name}${required ? '' : ' (optional)'}`;
  const choices = schema['enum'] as readonly unknown[] | undefined;
  if (choices) return <Field label={label}><Choice choices={choices} required={required} value={value} onValue={onValue} /></Field>;
  const properties = schemaOf(schema['properties']);
  if (schema['type'] === 'object' && properties) return <Nested name={name} schema={schema} properties={properties} value={value} onValue={onValue} />;
  if (schema['type'] === 'boolean') return <label className="row"><input type="checkbox" checked={value === true} onChange={(event) => onValue(event.target.checked)} /> {label}</label>;
  if (schema['type'] === 'string') return <Field label={label}><Input type={INPUTS[String(schema['format'])] ?? 'text'} value={typeof value === 'string' ? value : ''} onChange={(event) => onValue(event.target.value === '' && !required ? undefined : event.target.value)} /></Field>;
  if (schema['type'] === 'number' || schema['type'] === 'integer') return <Field label={label}><Input inputMode="decimal" value={value === undefined ? '' : writeJson(value).replaceAll('"', '')} onChange={(event) => onValue(numberOf(event.target.value))} /></Field>;
  return <Field label={`${label}, as JSON`}><Input value={value === undefined ? '' : writeJson(value)} onChange={(event) => onValue(jsonOf(event.target.value))} /></Field>;
}

function Choice({ choices, required, value, onValue }: Pick<Props, 'required' | 'value' | 'onValue'> & { readonly choices: readonly unknown[] }) {
  return (
    <select className={controls.input} value={value === undefined ? '' : writeJson(value)} onChange={(event) => onValue(event.target.value === '' ? undefined : readJson(event.target.value))}>
      {(!required || value === undefined) && <option value="">left out</option>}
      {choices.map((one) => <option key={writeJson(one)} value={writeJson(one)}>{String(one)}</option>)}
    </select>
  );
}

function Nested({ name, schema, properties, value, onValue }: Pick<Props, 'name' | 'schema' | 'value' | 'onValue'> & { readonly properties: Schema }) {
  const object = isTree(value) ? value as Readonly<Record<string, unknown>> : {};
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  const set = (key: string, next: unknown): void => onValue(next === undefined ? Object.fromEntries(Object.entries(object).filter(([one]) => one !== key)) : { ...object, [key]: next });
  return (
    <fieldset className={css.nested}>
      <legend className="muted">{name}</legend>
      <div className={css.fields}>{Object.entries(properties).map(([key, member]) => <SchemaField key={key} name={key} schema={schemaOf(member) ?? {}} required={required.includes(key)} value={object[key]} onValue={(next) => set(key, next)} />)}</div>
    </fieldset>
  );
}

/** Text that is no number stays text, so that a refusal can be tried. */
function numberOf(text: string): unknown {
  return text === '' ? undefined : jsonOf(text);
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : readJson(text);
  } catch {
    return text; // Not yet JSON: kept as text while it is typed.
  }
}
