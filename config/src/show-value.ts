import type { Located } from './located.js';
import { REDACTED, redactText } from './secret-names.js';

/** Longest value that an error quotes. */
const MAX_SHOWN = 60;

/** A value as errors show it: JSON, cut when long; a list or a map only by name, as secrets may be in it. */
export function showValue(value: unknown, options: { readonly secret?: boolean; readonly text?: string | undefined } = {}): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && value !== null) return 'a map';
  if (value === null) return options.text === '' ? 'nothing' : 'null';
  if (options.secret) return REDACTED;
  if (typeof value === 'string') return showText(value);
  return options.text ?? String(value);
}

/** A node as errors show it. */
export function showNode(node: Located): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return showValue(node.items);
  return showValue(node.value, { secret: node.interpolated?.secret ?? false, text: node.text });
}

function showText(whole: string): string {
  const text = redactText(whole);
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
