import { withoutKnownSecrets } from './known-secrets.js';

/** Nearly all texts hold none of these; looking for all shapes in one go is cheaper than replacing them one by one. */
const WORTH_A_LOOK = /:\/\/|-----BEGIN |eyJ|bearer\s|basic\s|A[KS]IA|gh[a-z]_|xox[a-z]-|(?:token|secret|passw|passphrase|pwd|key|signature|credential|cookie|session|pin|otp)\w{0,10}["']?\s?[:=]/i;

const NAMES = '(?:[\\w.-]{0,64}?(?:token|secret|password|passwd|passphrase|pwd|api[-_]?key|private[-_]?key|signature|credentials?|session(?:[-_]?id)?)'
  + '|(?:[\\w.-]{0,64}?[_.-])?(?:pin|otp)(?:[-_]?code)?)';
/** After these a word is the secret, whatever it looks like. */
const PASSWORDS = '(?:[\\w.-]{0,64}?(?:password|passwd|passphrase|pwd)|(?:[\\w.-]{0,64}?[_.-])?(?:pin|otp)(?:[-_]?code)?)';

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]+@/gi, '$1[redacted]@'],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, '[redacted]'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '[redacted]'],
  [/\b(?:A[KS]IA[A-Z0-9]{16}|gh[a-z]_[A-Za-z0-9]{36,}|xox[a-z]-[A-Za-z0-9-]{10,})/g, '[redacted]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, '$1 [redacted]'],
  [/\b((?:set-)?cookie["']?: ?["']?)[^\s"'][^"'\r\n]*/gi, '$1[redacted]'],
  [new RegExp(`\\b(${NAMES}=)[^&#\\s"',;]+`, 'gi'), '$1[redacted]'],
  [new RegExp(`\\b(${NAMES}["']?\\s?[:=]\\s?")(?:[^"\\\\]|\\\\.)*`, 'gi'), '$1[redacted]'],
  [new RegExp(`\\b(${NAMES}["']?\\s?[:=]\\s?')(?:[^'\\\\]|\\\\.)*`, 'gi'), '$1[redacted]'],
  // Without quotes, as people write it; "invalid token: expired" tells no token.
  [new RegExp(`\\b(${PASSWORDS}:\\s)(?!["'[{(])[^\\s"',;)}\\]]+`, 'gi'), '$1[redacted]'],
  [new RegExp(`\\b(${NAMES}:\\s)(?=[^\\s"',;)}\\]]*\\d)(?!["'[{(])[^\\s"',;)}\\]]{4,}`, 'gi'), '$1[redacted]'],
];

/**
 * Hides what is secret whatever its key: values that `learnSecrets` was given, and what has the shape of a secret: user and
 * password of a URL, private keys, JSON web tokens, bearer and basic credentials, keys of AWS, GitHub and Slack, cookie
 * headers, `password=…`, `"password": "…"` and `password: '…'`.
 */
export function redactText(text: string): string {
  const left = withoutKnownSecrets(text);
  return WORTH_A_LOOK.test(left) ? SHAPES.reduce((rest, [shape, shown]) => rest.replace(shape, shown), left) : left;
}
