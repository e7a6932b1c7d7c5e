/** How credentials are sent, in the words of an OpenAPI security scheme: that is where a guard's `schemes` are shown. */
export type CredentialScheme =
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string };

const PLACES: readonly unknown[] = ['header', 'query', 'cookie'];
/** What HTTP takes as the name of a header or a scheme. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** @throws Error that names the first one that OpenAPI has no form for */
export function checkSchemes(schemes: readonly CredentialScheme[]): readonly CredentialScheme[] {
  for (const scheme of schemes) if (!isScheme(scheme)) throw new Error(`guard(): ${JSON.stringify(scheme)} is no scheme; ${FORMS}`);
  return schemes;
}

const FORMS = 'write { type: "apiKey", in: "header" | "query" | "cookie", name } or { type: "http", scheme, bearerFormat? }';

function isScheme(value: unknown): boolean {
  const { type, in: place, name, scheme, bearerFormat = '' } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'apiKey') return PLACES.includes(place) && typeof name === 'string' && (place === 'query' ? name !== '' : TOKEN.test(name));
  return type === 'http' && typeof scheme === 'string' && TOKEN.test(scheme) && typeof bearerFormat === 'string';
}

/** The further place of a credential that a query may carry as well. */
export function inQuery(name: string | undefined): readonly CredentialScheme[] {
  return name === undefined ? [] : [{ type: 'apiKey', in: 'query', name }];
}
