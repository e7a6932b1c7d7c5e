import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { notWritten } from '../files/write-new.js';

/**
 * Writes text to a new file, or to stdout when that is "-", as it comes; gives how many lines it has. A file that could not be
 * finished is removed.
 * @throws {USAGE} when the file exists
 * @throws {FILE_NOT_WRITABLE} when it cannot be written
 */
export async function exportText(file: string, text: AsyncIterable<string>): Promise<number> {
  let lines = 0;
  const counted = async function* counted(): AsyncGenerator<string> {
    for await (const piece of text) {
      lines += piece.split('\n').length - 1;
      yield piece;
    }
  };
  if (file === '-') await pipeline(counted, process.stdout, { end: false });
  else await write(file, counted);
  return lines;
}

async function write(file: string, text: () => AsyncGenerator<string>): Promise<void> {
  const handle: FileHandle = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw notWritten(file, error);
  });
  try {
    await pipeline(text, handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    throw (error as NodeJS.ErrnoException).syscall === 'write' ? notWritten(file, error as NodeJS.ErrnoException) : error;
  }
}
