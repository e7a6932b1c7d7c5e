import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

const INDEX = 'index.html';
/** There is no such file that we would serve. A link that leads round in a circle leads to none, and what is no file or folder cannot always be opened. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENXIO']);

/** A file that is served; whoever has it closes the handle. */
export interface FoundFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  readonly modifiedMs: number;
}

/** A file that may be there cannot be read: this is not the fault of the request. */
export class FileFault extends Error {
  /** Of the operating system, e.g. `EMFILE`. */
  readonly code: string | undefined;

  constructor(readonly file: string, cause: unknown) {
    super(`"${file}" cannot be read: ${(cause as Error).message}`, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/**
 * The file at a path below `root`: the index where a folder is asked for as one, `folder` where it is to be asked for so. Undefined: none.
 * @throws FileFault
 */
export async function openFile(root: string, segments: readonly string[]): Promise<FoundFile | 'folder' | undefined> {
  const names = segments.length > 0 && segments[segments.length - 1] === '' ? segments.slice(0, -1) : segments;
  if (names.some((name) => name === '' || unsafe(name))) return undefined;
  const wantsFolder = names.length !== segments.length || segments.length === 0;
  const found = await openInside(root, wantsFolder ? join(root, ...names, INDEX) : join(root, ...names));
  if (found || wantsFolder) return found;
  const index = await openInside(root, join(root, ...names, INDEX));
  if (!index) return undefined;
  await index.handle.close();
  return 'folder';
}

/**
 * Opens a regular file whose real place lies in `root`; anything else does not exist.
 * @throws FileFault
 */
export async function openInside(root: string, path: string): Promise<FoundFile | undefined> {
  let handle: FileHandle | undefined;
  let found: FoundFile | undefined;
  try {
    const real = await realpath(path);
    if (!real.startsWith(root + sep)) return undefined;
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (facts.isFile()) found = { path: real, handle, size: facts.size, modifiedMs: Math.floor(facts.mtimeMs) };
    return found;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return undefined;
    throw new FileFault(path, error);
  } finally {
    if (!found) await handle?.close();
  }
}

/**
 * The whole of a file, whose handle is closed.
 * @throws FileFault
 */
export async function readWhole({ path, handle }: FoundFile): Promise<Buffer> {
  try {
    return await handle.readFile();
  } catch (error) {
    throw new FileFault(path, error);
  } finally {
    await handle.close();
  }
}

/** Names that could leave the folder, or that are nobody's business. */
function unsafe(segment: string): boolean {
  return segment.startsWith('.') || segment.includes('/') || segment.includes('\\') || segment.includes('\0');
}
