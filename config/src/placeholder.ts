/** Literal text or a placeholder of a scalar. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly byDefault: string | undefined };

/** A scalar split at its placeholders, or what is wrong with one of them. */
export type Template = { readonly parts: readonly TemplatePart[] } | { readonly problem: string };

const OPENING = '${';
const ESCAPED = '$${';
const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/y;
/** One whole placeholder; editors check the same in the generated schema. */
export const PLACEHOLDER_PATTERN = '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}$';

/** Splits a scalar's text; undefined when it holds neither a placeholder nor an escape. */
export function parseTemplate(text: string): Template | undefined {
  if (!text.includes(OPENING)) return undefined;
  const parts: TemplatePart[] = [];
  let position = 0;
  while (position < text.length) {
    const next = text.indexOf(OPENING, position);
    if (next === -1) break;
    // `$${` is found one character late.
    const isEscaped = next > position && text[next - 1] === '$';
    parts.push({ kind: 'text', text: isEscaped ? text.slice(position, next - 1) + OPENING : text.slice(position, next) });
    const part = isEscaped ? undefined : placeholderAt(text, next);
    if (part && 'problem' in part) return part;
    if (part) parts.push(part.variable);
    position = part ? part.end : next + OPENING.length;
  }
  parts.push({ kind: 'text', text: text.slice(position) });
  return { parts: parts.filter((part) => part.kind === 'variable' || part.text !== '') };
}

type Found = { readonly variable: TemplatePart; readonly end: number } | { readonly problem: string };

function placeholderAt(text: string, start: number): Found {
  PLACEHOLDER.lastIndex = start;
  const [whole, name, byDefault] = PLACEHOLDER.exec(text) ?? [];
  if (whole === undefined || name === undefined || byDefault?.includes(OPENING)) return { problem: malformed(text, start) };
  return { variable: { kind: 'variable', name, byDefault }, end: start + whole.length };
}

function malformed(text: string, start: number): string {
  const end = text.indexOf('}', start);
  const shown = end === -1 || end - start > 60 ? `${text.slice(start, start + 20)}…` : text.slice(start, end + 1);
  return `${JSON.stringify(shown)} is not a placeholder (\${VAR} or \${VAR:default}); write ${ESCAPED} for a literal ${OPENING}`;
}
