const SECRET = new RegExp(
  '(?:^|[^a-z0-9])(?:authorization|cookie|set[-_]?cookie|password|passwd|secret|token|api[-_]?key|private[-_]?key'
  + '|credential|dsn|connection[-_]?string|pwd|passphrase)(?:[^a-z0-9]|$)'
  // Such a word names the secret itself only where the name ends with it: a session_timeout is none.
  + '|(?:^|[^a-z0-9])(?:session(?:[-_]?id)?|pin(?:[-_]?code)?|otp(?:[-_]?code)?)$', 'i',
);
const CAMEL_BORDER = /([a-z0-9])([A-Z])/g;

/** What is printed in place of a secret. */
export const REDACTED = '[redacted]';

/**
 * True when the name of a variable or key says, as a whole word, that its value is a secret (`DB_PASSWORD`, `apiKey`).
 */
export function looksSecret(name: string): boolean {
  return SECRET.test(name.replace(CAMEL_BORDER, '$1_$2'));
}
