/** Response headers: a value or several. */
export type ResponseHeaders = Readonly<Record<string, string | number | readonly string[] | undefined>>;
