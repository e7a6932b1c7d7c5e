import type { Json } from './config-schema.js';

/**
 * A JSON value together with its text, so that whoever stores it or sends it on need not write it once more: for a large one that takes longer than
 * all the rest. The value is read from the text when somebody asks for it. An operation may give one as its result.
 */
export class WrittenJson {
  private parsed: Json | undefined;

  /** `text`: JSON as `JSON.stringify` writes it. */
  constructor(readonly text: string) {}

  /** The same object each time. */
  get value(): Json {
    return this.parsed ??= JSON.parse(this.text) as Json;
  }

  /** Stands for its value also where nobody knows of the text. */
  toJSON(): Json {
    return this.value;
  }
}

/** The decision of a write to store a value whose text is known. */
export interface SetWritten {
  readonly action: 'set';
  readonly value: Json;
  readonly text: string;
}

/** Decides to store `written`; its value is read only when the adapter asks for it. `more`: further members of the decision. */
export function setTo<T extends object>(written: WrittenJson, more?: T): SetWritten & T {
  return {
    action: 'set',
    get value(): Json {
      return written.value;
    },
    text: written.text, ...more,
  } as SetWritten & T;
}
