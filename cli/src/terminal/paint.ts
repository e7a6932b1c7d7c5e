import { styleText } from 'node:util';

/** The part of a stream that decides about colours and widths. */
export interface TerminalStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Style = Parameters<typeof styleText>[0];

/** Who asks has looked at the stream already; Node would look at stdout. */
function colour(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** Colours a text when the stream is a terminal that wants colours. @source https://no-color.org */
export function paint(style: Style, text: string, stream: TerminalStream): string {
  return wantsColour(stream) ? colour(style, text) : text;
}

/** Colours the severity and the location of a printed error. */
export function paintError(text: string, stream: TerminalStream): string {
  if (!wantsColour(stream)) return text;
  const [first = '', ...rest] = text.split('\n');
  const columns = first.split('  ').map((part, index) => paintColumn(part, index));
  const hints = rest.map((line) => (line.startsWith('    hint: ') ? colour('dim', line) : line));
  return [columns.join('  '), ...hints].join('\n');
}

/** The first column is a severity or a location; a severity may also be the second. */
function paintColumn(part: string, index: number): string {
  const style = index < 2 ? STYLES[part] : undefined;
  if (style) return colour(style, part);
  return index === 0 ? colour('cyan', part) : part;
}

const STYLES: Readonly<Record<string, Style>> = { error: ['bold', 'red'], warning: ['bold', 'yellow'] };

/** True for a terminal that has not been told to go without colours. @source https://no-color.org */
export function wantsColour(stream: TerminalStream): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}
