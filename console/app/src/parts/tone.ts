/** How something stands; the colour and the shape of its badge. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'plain';
