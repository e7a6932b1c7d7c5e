import { spec } from 'node:test/reporters';
import type { TestEvent } from 'node:test/reporters';

const COLOUR = /\u001b\[\d+m/g;
/** A frame of Node.js itself; with a brace where the properties of the error begin behind it. */
const OWN_FRAME = /^\s+at (?:.*\()?node:.*?( \{)?$/;

/**
 * Node's own reporter for people, with each failure told once: by name where it happens, and whole at the end, with its place and the
 * frames of the application.
 */
export default async function* failuresOnce(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reporter = new spec();
  const feed = (async () => {
    for await (const event of events) reporter.write(event);
    reporter.end();
  })();
  for await (const chunk of reporter) yield once(String(chunk));
  await feed;
}

function once(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  const head = (lines[first] ?? '').replaceAll(COLOUR, '').trim();
  // The summary has no text behind its cross but these words.
  if (head.startsWith('✖') && head !== '✖ failing tests:') return `${lines.slice(0, first + 1).join('\n')}\n`;
  const kept: string[] = [];
  for (const line of lines) {
    const [frame, brace = ''] = OWN_FRAME.exec(line.replaceAll(COLOUR, '')) ?? [];
    if (frame === undefined) kept.push(line);
    else kept.push((kept.pop() ?? '') + brace);
  }
  return kept.join('\n');
}
