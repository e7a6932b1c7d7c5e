/** A body on its way to or from a handler. `bytes` and `encoded`, UTF-8 that was too large for a message, occur only in the engine's process. */
export type BodyValue =
  /** Where there is a `text`, it is the JSON at the moment when the handler answered; `value` may have changed since, or be absent. */
  | { readonly kind: 'json'; readonly value?: unknown; readonly text?: string | undefined }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'base64'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'encoded'; readonly as: 'json' | 'text'; readonly value: Buffer };
