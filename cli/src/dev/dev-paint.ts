/** Colours a text of `treadle dev`, or leaves it as it is; `error` colours what has the form of errors. */
export type Paint = (style: 'dim' | 'bold' | 'cyan' | 'green' | 'yellow' | 'red' | 'error', text: string) => string;
