import type { QueueDelivery } from '@treadle/api';
import type { SchemaRefusal } from '@treadle/json';

/** What of a delivery has been read. */
export interface ReadDelivery {
  /** Of a large one it is read when somebody asks for it. */
  readonly input: unknown;
  /** Why it does not fit the schema of the messages. */
  readonly refusal: SchemaRefusal | undefined;
  /** Of one that was read elsewhere: the short members of the input, which say what a change is about. */
  readonly outline?: unknown;
}

/** One that was read and checked elsewhere, or before: its value is made for who asks for it, and not kept, as it may be large. */
export function readAnew({ data }: QueueDelivery, { refusal, outline }: Partial<ReadDelivery> = {}): ReadDelivery {
  return {
    get input(): unknown {
      return JSON.parse(data);
    },
    refusal, outline,
  };
}
