import type { Readable } from 'node:stream';

/** The first line of a stream; undefined when the stream ends without one. What follows is read and dropped. */
export function firstLine(source: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    source.setEncoding('utf8');
    source.on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    source.on('end', () => resolve(undefined));
    source.on('error', () => resolve(undefined));
  });
}
