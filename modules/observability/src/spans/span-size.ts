import type { Attributes, AttributeValue, SpanRecord } from '@treadle/api';

/** What a span takes without its texts: its places in the columns, the ids and the objects' headers. */
const FIXED_BYTES = 320;
const PER_ATTRIBUTE = 16;
const PER_EVENT = 96;

/**
 * Measures spans; remembers the last two attributes, since those of a route are shared by all its spans, and a request has
 * one span of its own and one of its handler.
 */
export class SpanSizer {
  private last: Attributes | undefined;
  private lastBytes = 0;
  private former: Attributes | undefined;
  private formerBytes = 0;

  /** About how many bytes the span keeps alive; attributes that several spans share count for each. */
  bytesOf(span: SpanRecord): number {
    const { error, events, links, attributes } = span;
    let bytes = FIXED_BYTES + span.name.length;
    if (attributes === this.last) bytes += this.lastBytes;
    else if (attributes === this.former) bytes += this.formerBytes;
    else bytes += this.remember(attributes);
    if (error !== undefined) bytes += error.message.length + (error.stack?.length ?? 0);
    if (events !== undefined) for (const event of events) bytes += PER_EVENT + (event.attributes ? attributesBytes(event.attributes) : 0);
    if (links !== undefined) bytes += links.length * PER_EVENT;
    return bytes;
  }

  private remember(attributes: Attributes): number {
    this.former = this.last;
    this.formerBytes = this.lastBytes;
    this.last = attributes;
    this.lastBytes = attributesBytes(attributes);
    return this.lastBytes;
  }
}

function attributesBytes(attributes: Attributes): number {
  let bytes = 0;
  for (const key in attributes) {
    const value = attributes[key] as AttributeValue;
    bytes += PER_ATTRIBUTE;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object') for (const item of value) bytes += PER_ATTRIBUTE + item.length;
  }
  return bytes;
}
