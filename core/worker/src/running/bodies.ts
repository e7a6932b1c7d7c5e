import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { InputBody, UploadedFile as WireFile } from '@treadle/protocol';
import type { UploadedFile } from 'treadle';
import { RunError } from './failure.js';

/** A body in place; `bytes` only comes from an engine in the same process. */
export type WireBody = InputBody | { readonly kind: 'bytes'; readonly value: Uint8Array };
type PlacedBody = Exclude<WireBody, { readonly kind: 'stream' }>;

/** Value of a body that came with the message. */
export function placedBody(body: PlacedBody | undefined): unknown {
  if (body === undefined) return undefined;
  switch (body.kind) {
    case 'base64': return Buffer.from(body.value, 'base64');
    case 'bytes': return toBuffer(body.value);
    default: return body.value;
  }
}

/** True for a body that has to be read from a stream first. */
export function isStreamBody(body: WireBody | undefined): body is Extract<InputBody, { kind: 'stream' }> {
  return body?.kind === 'stream';
}

/** Reads a body that follows in chunks. @throws RunError `invalid_json` */
export async function streamedBody(body: Extract<InputBody, { kind: 'stream' }>, streams: readonly Readable[]): Promise<unknown> {
  const bytes = await collect(streamAt(streams, body.stream));
  if (body.as === 'bytes') return bytes;
  const text = bytes.toString('utf8');
  if (body.as === 'text') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RunError('invalid_json', error instanceof Error ? error.message : 'the body is not JSON');
  }
}

/** Everything that a readable holds. */
export async function collect(source: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(typeof part === 'string' ? Buffer.from(part) : (part as Buffer));
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** Files of a multipart body and how to get rid of what they left on disk. */
export interface ReceivedFiles {
  readonly files: readonly UploadedFile[];
  /** Removes the temporary folder; never rejects. */
  readonly remove: () => Promise<void>;
}

/** Takes in uploaded files; those that come as streams are written to a temporary folder, one after the other. */
export async function receiveFiles(files: readonly WireFile[], streams: readonly Readable[]): Promise<ReceivedFiles> {
  let folder: string | undefined;
  const remove = async (): Promise<void> => {
    // What cannot be removed lies in the system's temporary folder, which is cleaned by the system.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  };
  const received: UploadedFile[] = [];
  try {
    for (const [index, file] of files.entries()) {
      if (file.body.kind !== 'stream') {
        received.push(inMemory(file, toBuffer(placedBody(file.body))));
        continue;
      }
      folder ??= await mkdtemp(join(tmpdir(), 'treadle-upload-'));
      const path = join(folder, String(index));
      await writeFile(path, streamAt(streams, file.body.stream));
      received.push(onDisk(file, path));
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { files: received, remove };
}

function inMemory(file: WireFile, bytes: Buffer): UploadedFile {
  const stream = (): Readable => Readable.from([bytes], { objectMode: false });
  return {
    ...described(file), size: bytes.length, buffer: () => Promise.resolve(bytes),
    text: () => Promise.resolve(bytes.toString('utf8')), stream,
  };
}

function onDisk(file: WireFile, path: string): UploadedFile {
  const stream = (): Readable => createReadStream(path);
  const buffer = (): Promise<Buffer> => collect(stream());
  return { ...described(file), size: file.size ?? 0, buffer, text: async () => (await buffer()).toString('utf8'), stream };
}

const described = (file: WireFile): Pick<UploadedFile, 'field' | 'filename' | 'contentType'> =>
  ({ field: file.field, filename: file.filename, contentType: file.contentType });

function streamAt(streams: readonly Readable[], index: number): Readable {
  const stream = streams[index];
  if (!stream) throw new Error(`the request refers to stream ${index}, which did not come with it`);
  return stream;
}

/** Bytes as a Buffer, without copying them. */
export function toBuffer(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value ?? null));
}
