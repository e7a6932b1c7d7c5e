/**
 * How both stores use keyv: errors are thrown instead of turned into `false` and `undefined`; keys are written as they
 * are; and plain JSON instead of keyv's own form, which takes texts that begin with `:base64:` for binary data.
 */
export const KEYV_OPTIONS = {
  throwOnErrors: true,
  useKeyPrefix: false,
  serialize: (data: unknown): string => JSON.stringify(data),
  deserialize: <T>(text: string): T => JSON.parse(text) as T,
} as const;
