import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import { MAX_INLINE_BODY_BYTES } from '@treadle/protocol';
import { badRequest, type OrProblem } from '../response/problem.js';
import { type HandlerBody, jsonHandlerBody, streamed } from './handler-body.js';

const LIMITS = { parts: 1000, fields: 1000, files: 100, fieldNameSize: 200, headerPairs: 20, fieldSize: 64 * 1024 * 1024 };

interface FileInfo {
  readonly filename?: string;
  readonly mimeType: string;
}

interface PartInfo {
  readonly nameTruncated: boolean;
}

/** The part of busboy that is used here. */
type Parser = Writable & {
  on(event: 'field', listener: (name: string | undefined, value: string, info: PartInfo) => void): Parser;
  on(event: 'file', listener: (name: string | undefined, stream: Readable, info: FileInfo) => void): Parser;
  on(event: 'partsLimit' | 'fieldsLimit' | 'filesLimit' | 'close', listener: () => void): Parser;
  on(event: 'error', listener: (error: Error) => void): Parser;
};
type ParserFactory = (options: { headers: { 'content-type': string }; limits: object; defParamCharset: string }) => Parser;

interface ReceivedFile {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly chunks: Buffer[];
}

const load = createRequire(import.meta.url);

/**
 * Reads a multipart form that is wholly in memory; calls `done` once. Fields become the body, each name to its text or
 * texts; files keep the order in which they came. What exceeds 256 KiB in all travels as streams.
 */
export function parseMultipartBody(bytes: Buffer, contentType: string, done: (result: OrProblem<HandlerBody>) => void): void {
  const parser = makeParser(contentType);
  if (!parser) {
    done(badRequest('The multipart body has no boundary'));
    return;
  }
  const form = new ReceivedForm();
  let settled = false;
  const settle = (result: OrProblem<HandlerBody>): void => {
    if (settled) return;
    settled = true;
    done(result);
  };
  const refuse = (): void => settle(badRequest('The multipart body is malformed or has too many parts'));
  parser.on('field', (name, value) => form.addField(name ?? '', value));
  parser.on('file', (name, stream, info) => form.addFile(name ?? '', stream, info));
  parser.on('partsLimit', refuse).on('fieldsLimit', refuse).on('filesLimit', refuse);
  parser.on('error', refuse);
  parser.on('close', () => settle(form.result(bytes.length)));
  parser.end(bytes);
}

function makeParser(contentType: string): Parser | undefined {
  const busboy = load('busboy') as ParserFactory;
  try {
    return busboy({ headers: { 'content-type': contentType }, limits: LIMITS, defParamCharset: 'utf8' });
  } catch {
    // busboy throws for a content type without a boundary; the caller refuses the request.
    return undefined;
  }
}

class ReceivedForm {
  private readonly fields = Object.create(null) as Record<string, string | string[]>;
  private readonly files: ReceivedFile[] = [];

  addField(name: string, value: string): void {
    const before = this.fields[name];
    if (before === undefined) this.fields[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else this.fields[name] = [before, value];
  }

  addFile(field: string, stream: Readable, info: FileInfo): void {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A file cut short makes the parser fail as well, which is what the client is told.
    stream.on('error', () => chunks.splice(0));
    this.files.push({ field, filename: info.filename ?? '', contentType: info.mimeType, chunks });
  }

  result(bytes: number): HandlerBody {
    const made = jsonHandlerBody(this.fields, Buffer.from(JSON.stringify(this.fields)));
    made.bytes = bytes;
    let inline = 0;
    made.files = this.files.map(({ chunks, ...description }) => {
      const content = Buffer.concat(chunks);
      inline += content.length;
      const body = inline <= MAX_INLINE_BODY_BYTES
        ? { kind: 'base64' as const, value: content.toString('base64') } : streamed(made, content, 'bytes');
      return { ...description, size: content.length, body };
    });
    return made;
  }
}
