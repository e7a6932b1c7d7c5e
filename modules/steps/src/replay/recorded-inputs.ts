import type { InvokeRequest } from '@treadle/api';
import { type InputParts, partsOf, textOf } from './input-parts.js';

/** Longest input that is kept, and all of them together; characters of JSON. */
export const LONGEST_INPUT = 64 * 1024;
const ALL_INPUTS = 16 * 1024 * 1024;
const MOST_INPUTS = 5_000;

/** What a run of a handler was started with. */
export interface RecordedInput extends Pick<InvokeRequest, 'step' | 'trigger' | 'message' | 'traceId'> {
  /** Why there is none, where it is a text. */
  readonly input: InputParts | string;
  readonly characters: number;
}

/** The inputs of the latest runs by the span of the handler, in memory; the oldest give way. */
export class RecordedInputs {
  private readonly bySpan = new Map<string, RecordedInput>();
  private characters = 0;

  note(spanId: string, request: InvokeRequest): void {
    const { step, trigger, message, traceId } = request;
    const recorded = { step, trigger, message: message && { messageId: message.messageId, enqueuedAt: message.enqueuedAt, headers: message.headers }, traceId, ...inputOf(request) };
    this.bySpan.set(spanId, recorded);
    this.characters += recorded.characters;
    while (this.bySpan.size > MOST_INPUTS || this.characters > ALL_INPUTS) this.forgetOldest();
  }

  get(spanId: string): RecordedInput | undefined {
    return this.bySpan.get(spanId);
  }

  private forgetOldest(): void {
    const [oldest] = this.bySpan;
    if (!oldest) return;
    this.bySpan.delete(oldest[0]);
    this.characters -= oldest[1].characters;
  }
}

function inputOf(request: InvokeRequest): Pick<RecordedInput, 'input' | 'characters'> {
  if (request.streams !== undefined && request.streams.length > 0) return { input: 'its body came as a stream, which is not kept', characters: 0 };
  const parts = partsOf(request);
  const { length } = textOf(parts);
  return length <= LONGEST_INPUT ? { input: parts, characters: length } : { input: `it has ${length} characters, and up to ${LONGEST_INPUT} are kept`, characters: 0 };
}
