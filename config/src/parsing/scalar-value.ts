import { CORE_SCHEMA, NOT_RESOLVED, SCALAR_STYLE, type ScalarEvent, type ScalarTagDefinition } from 'js-yaml';

/** What a scalar of the core schema can be. */
export type ScalarValue = string | number | boolean | null;

const PREFIX = 'tag:yaml.org,2002:';
const SCALAR_TAGS = CORE_SCHEMA.tags.filter((tag): tag is ScalarTagDefinition => tag.nodeKind === 'scalar');

/** `!!int` and `!<tag:yaml.org,2002:int>` become the full name; undefined for anything but YAML's own tags. */
export function coreTagName(raw: string): string | undefined {
  if (raw.startsWith('!!')) return PREFIX + raw.slice(2);
  return raw.startsWith(`!<${PREFIX}`) ? raw.slice(2, -1) : undefined;
}

/** True for a full tag name that the core schema knows for this kind of node. */
export function isCoreTag(name: string | undefined, kind: 'sequence' | 'mapping'): boolean {
  return CORE_SCHEMA.tags.some((tag) => tag.nodeKind === kind && tag.tagName === name);
}

/** What text without quotes and tag means in the core schema. */
export function plainValue(text: string): ScalarValue {
  for (const tag of SCALAR_TAGS) {
    if (!tag.implicit) continue;
    const value: unknown = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value as ScalarValue;
  }
  return text;
}

/** The value of a scalar, or what is wrong with its tag. */
export function scalarValue(event: ScalarEvent, text: string, rawTag: string): { value: ScalarValue } | { problem: string } {
  if (rawTag === '') return { value: event.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text };
  if (rawTag === '!') return { value: text };
  const name = coreTagName(rawTag);
  const tag = SCALAR_TAGS.find((candidate) => candidate.tagName === name);
  if (!tag) return { problem: unknownTag(rawTag) };
  const value: unknown = tag.resolve(text, true, tag.tagName);
  return value === NOT_RESOLVED ? { problem: `the text is not a valid ${rawTag}` } : { value: value as ScalarValue };
}

/** The text for a tag that is not YAML's own. */
export function unknownTag(rawTag: string): string {
  return `unknown tag ${rawTag}; only YAML's core tags are understood`;
}
