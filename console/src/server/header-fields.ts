const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t -~\u0080-\u00ff]*$/;

/** Whether a value is an object of headers that can be sent: names to texts without line breaks. */
export function isHeaders(headers: unknown): headers is Readonly<Record<string, string>> {
  return typeof headers === 'object' && headers !== null && Object.entries(headers).every(([name, value]) => NAME.test(name) && typeof value === 'string' && VALUE.test(value));
}

/** The headers without those of the connection itself, which is ours. */
export function withoutOurs(headers: Readonly<Record<string, string>>, ours: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.has(name.toLowerCase())));
}
