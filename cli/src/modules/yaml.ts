/** Writes plain JSON values as block-style YAML that the engine reads back as the same values. */
export function toYaml(value: object): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.flatMap(listItem);
  if (isMap(value) && Object.keys(value).length > 0) return Object.entries(value).flatMap(([key, item]) => mapEntry(key, item));
  return [scalar(value)];
}

function listItem(item: unknown): readonly string[] {
  const [first = '', ...rest] = lines(item);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function mapEntry(key: string, value: unknown): readonly string[] {
  const nested = lines(value);
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBlock) return [`${scalar(key)}: ${nested[0] ?? ''}`];
  return [`${scalar(key)}:`, ...nested.map((line) => `  ${line}`)];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A double-quoted JSON string is a YAML string; plain where that cannot be mistaken for anything else. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const plain = /^[A-Za-z./][\w./:@-]*$/.test(value) && !value.endsWith(':') && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value);
  return plain ? value : JSON.stringify(value);
}
