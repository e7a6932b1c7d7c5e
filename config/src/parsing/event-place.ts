import { SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

const ABSENT = -1;
const SPACE_AND_COMMENTS = /(?:\s|#[^\r\n]*)*/y;

/**
 * Offset where a scalar begins as a reader sees it: the quote, the `|` of a block, the first letter.
 * `after` is where the previous event ended; an empty scalar lies there, or at the dash of its list item.
 */
export function scalarPlace(text: string, event: ScalarEvent, after: number): number {
  if (event.valueStart === ABSENT) return emptyPlace(text, after);
  switch (event.style) {
    case SCALAR_STYLE.PLAIN: return event.valueStart;
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.DOUBLE_QUOTED: return event.valueStart - 1;
    default: return blockHeaderPlace(text, event, after);
  }
}

function emptyPlace(text: string, after: number): number {
  SPACE_AND_COMMENTS.lastIndex = after;
  SPACE_AND_COMMENTS.test(text);
  const next = SPACE_AND_COMMENTS.lastIndex;
  return text[next] === '-' ? next : after;
}

/** The events name only the content of a block scalar; its header is the first `|` or `>` after key, tag and anchor. */
function blockHeaderPlace(text: string, event: ScalarEvent, after: number): number {
  const from = Math.max(after, event.tagEnd, event.anchorEnd);
  const found = /[|>]/.exec(text.slice(from, event.valueStart));
  return found ? from + found.index : event.valueStart;
}
