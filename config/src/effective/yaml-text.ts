import { plainValue } from '../parsing/scalar-value.js';

/** What is printed as YAML; comments stand at the end of the line. */
export type YamlNode =
  | { readonly kind: 'scalar'; readonly value: string | number | boolean | null; readonly comment?: string | undefined }
  | { readonly kind: 'list'; readonly items: readonly YamlNode[]; readonly comment?: string | undefined }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, YamlNode>; readonly comment?: string | undefined };

const PLAIN = /^[A-Za-z_./][\w./@-]*(?:::?[\w./@-]+)*$/;
/** Older YAML reads these words as booleans. */
const OLD_BOOLEANS = /^(?:y|n|yes|no|on|off)$/i;
/** JSON leaves these as they are, YAML does not allow them in a file. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Block YAML that this package reads back to the same values. */
export function yamlText(root: YamlNode): string {
  return `${lines(root).join('\n')}\n`;
}

function lines(node: YamlNode): readonly string[] {
  switch (node.kind) {
    case 'scalar': return [scalarText(node.value) + commentText(node.comment)];
    case 'list': return node.items.length === 0 ? [`[]${commentText(node.comment)}`] : node.items.flatMap(item);
    case 'map': return node.entries.size === 0 ? [`{}${commentText(node.comment)}`] : [...node.entries].flatMap(pair);
  }
}

function item(node: YamlNode): readonly string[] {
  const [first = '', ...rest] = lines(node);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function pair([key, node]: readonly [string, YamlNode]): readonly string[] {
  const name = stringText(key);
  if (isInline(node)) return [`${name}: ${lines(node)[0]}`];
  return [`${name}:`, ...lines(node).map((line) => `  ${line}`)];
}

function isInline(node: YamlNode): boolean {
  return node.kind === 'scalar' || (node.kind === 'list' ? node.items.length === 0 : node.entries.size === 0);
}

function scalarText(value: string | number | boolean | null): string {
  if (typeof value === 'string') return stringText(value.replaceAll('${', () => '$${'));
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? '.nan' : `${value < 0 ? '-' : ''}.inf`;
}

function stringText(text: string): string {
  const isPlain = PLAIN.test(text) && !OLD_BOOLEANS.test(text) && plainValue(text) === text;
  if (isPlain) return text;
  return JSON.stringify(text).replace(UNPRINTABLE, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function commentText(comment: string | undefined): string {
  return comment ? ` # ${comment.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ')}` : '';
}
