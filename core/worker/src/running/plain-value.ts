import { RunError } from './failure.js';

/** Longest value as JSON, in characters: it is kept for as long as a client of a stream is connected. */
const MAX_VALUE = 256 * 1024;

/**
 * What a function of a declaration gave back, as JSON carries it; nothing stays nothing.
 * @throws RunError `invalid_handler_result`
 */
export function toPlainValue(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text = written(value);
  if (text.length > MAX_VALUE) throw unusable(`it has ${text.length} characters as JSON; at most ${MAX_VALUE} are taken`);
  return JSON.parse(text) as unknown;
}

function written(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw unusable(error instanceof Error ? error.message.split('\n', 1)[0] ?? '' : String(error));
  }
  if (text === undefined) throw unusable(`it is a ${typeof value}`);
  return text;
}

const unusable = (reason: string): RunError => new RunError('invalid_handler_result', `what it gave back cannot be sent as JSON: ${reason}`);
