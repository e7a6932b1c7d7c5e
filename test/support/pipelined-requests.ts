import { once } from 'node:events';
import { connect } from 'node:net';

export interface PipelinedOptions {
  readonly url: string;
  readonly count: number;
  readonly sockets: number;
  /** Method and target of a request, e.g. `GET /hello`. */
  readonly line: (n: number) => string;
  /** Told of the head of each answer, in the order of each socket. */
  readonly onHead: (head: string) => void;
}

/** On their way at once, on each socket. */
const BATCH = 50;

/**
 * Sends many requests without a body, in batches that follow each other on a few sockets: far quicker than a client that waits
 * for each answer. Answers must have a `content-length`.
 */
export async function pipelinedRequests(options: PipelinedOptions): Promise<void> {
  let next = 0;
  const take = (): string[] => Array.from({ length: Math.min(BATCH, options.count - next) }, () => options.line(next++));
  await Promise.all(Array.from({ length: options.sockets }, () => lane(options, take)));
}

async function lane({ url, onHead }: PipelinedOptions, take: () => string[]): Promise<void> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  const broken = once(socket, 'close').then(() => { throw new Error('the connection was closed before all answers came'); });
  broken.catch(() => undefined);
  try {
    await Promise.race([once(socket, 'connect'), broken]);
    for (let lines = take(); lines.length > 0; lines = take()) {
      const answers = heads(socket, lines.length, onHead);
      socket.write(lines.map((line) => `${line} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 0\r\n\r\n`).join(''));
      await Promise.race([answers, broken]);
    }
  } finally {
    socket.destroy();
  }
}

/** Resolves after this many answers. */
function heads(socket: ReturnType<typeof connect>, count: number, onHead: (head: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let [left, text] = [count, ''];
    const read = (bytes: Buffer): void => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        const after = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (text.length < after) return;
        text = text.slice(after);
        left -= 1;
        onHead(head);
      }
      if (left > 0) return;
      socket.off('data', read);
      resolve();
    };
    socket.on('data', read);
  });
}
