const TOKEN = /(?<gap>[ \t]+|\\\n)|(?<end>[\n;|&<>()])|'(?<single>[^']*)'|\$'(?<ansi>[^'\\]*(?:\\[^][^'\\]*)*)'|\$?"(?<double>[^"\\]*(?:\\[^][^"\\]*)*)"|\\(?<escaped>[^])|(?<plain>[^ \t\n'"\\;|&<>()$]+|\$(?!'))/y;

/** The words of the first command of a text, as bash reads them. Nothing is looked up: `$name` and `*` stay. Undefined while a quote is open. */
export function shellWords(text: string): readonly string[] | undefined {
  const script = text.replaceAll('\r\n', '\n').trimStart();
  const words: string[] = [];
  let word: string | undefined;
  const token = new RegExp(TOKEN);
  while (token.lastIndex < script.length) {
    const found = token.exec(script);
    if (!found) return undefined;
    const { gap, end, plain } = found.groups ?? {};
    if (end !== undefined || (word === undefined && plain?.startsWith('#') === true)) break;
    // A line that goes on joins what stands at its end with what begins the next one.
    if (gap === undefined) word = (word ?? '') + meaning(found.groups ?? {});
    else if (gap !== '\\\n' && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

function meaning({ single, ansi, double, escaped, plain }: Readonly<Record<string, string | undefined>>): string {
  return single ?? (ansi === undefined ? undefined : ansiText(ansi)) ?? double?.replace(/\\([$`"\\\n])/g, (_, sign: string) => (sign === '\n' ? '' : sign)) ?? escaped ?? plain ?? '';
}

const NAMED: Readonly<Record<string, string>> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const BYTES = String.raw`(?:\\x[\da-fA-F]{1,2}|\\[0-7]{1,3})+`;
const ESCAPE = new RegExp(String.raw`(?<bytes>${BYTES})|\\u(?<short>[\da-fA-F]{1,4})|\\U(?<long>[\da-fA-F]{1,8})|\\c(?<control>[^])|\\(?<sign>[^])`, 'g');

/** What stands between `$'` and `'`. */
function ansiText(text: string): string {
  return text.replace(ESCAPE, (...found) => {
    const { bytes, short, long, control, sign = '' } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    if (bytes !== undefined) return new TextDecoder().decode(Uint8Array.from(bytes.split('\\').slice(1), (one) => (one.startsWith('x') ? parseInt(one.slice(1), 16) : parseInt(one, 8))));
    // Surrogates come one by one.
    if (short !== undefined) return String.fromCharCode(parseInt(short, 16));
    if (long !== undefined) return codePoint(parseInt(long, 16));
    if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    return NAMED[sign] ?? (/['"?\\]/.test(sign) ? sign : `\\${sign}`);
  });
}

const codePoint = (code: number): string => (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));

/** A text as one word of a shell, which reads it as it is. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
