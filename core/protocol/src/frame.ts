import type { EngineMessage, WorkerMessage } from './messages.js';

/** Any message of either side. */
export type Message = EngineMessage | WorkerMessage;

/**
 * Parses a frame into its messages, or returns undefined when it is not an array of objects with a `type`. Only this
 * outer shape is checked: who reads a message checks what it uses.
 */
export function parseFrame<M extends Message>(text: string): readonly M[] | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined; // the caller closes the connection with `CLOSE.badMessage`
  }
  if (!Array.isArray(frame) || frame.length === 0) return undefined;
  return frame.every(isMessage) ? (frame as M[]) : undefined;
}

function isMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
