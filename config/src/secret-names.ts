const SECRET = new RegExp(
  '(?:^|[^a-z0-9])(?:authorization|cookie|set[-_]?cookie|password|passwd|secret|token|api[-_]?key|private[-_]?key'
  + '|credential|dsn|connection[-_]?string)(?:[^a-z0-9]|$)', 'i',
);
const CAMEL_BORDER = /([a-z0-9])([A-Z])/g;
const SECRET_TEXTS: readonly [RegExp, string][] = [
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@]+@/gi, '$1[redacted]@'],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, '[redacted]'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '[redacted]'],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/gi, '$1 [redacted]'],
];

/** What is printed in place of a secret. */
export const REDACTED = '[redacted]';

/**
 * True when the name of a variable or key says, as a whole word, that its value is a secret (`DB_PASSWORD`, `apiKey`).
 * @source reliability design, D-38
 */
export function looksSecret(name: string): boolean {
  return SECRET.test(name.replace(CAMEL_BORDER, '$1_$2'));
}

/** Hides what is secret whatever its name: user and password in URLs, private keys, tokens. */
export function redactText(text: string): string {
  return SECRET_TEXTS.reduce((left, [pattern, shown]) => left.replace(pattern, shown), text);
}
