const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.+)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;
const PARTS: Readonly<Record<string, readonly string[]>> = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };

/** Samples by name, each as its labels and value; stricter than Prometheus is. @throws Error naming the first line that is none of the format */
export function readPrometheus(text: string): ReadonlyMap<string, readonly string[]> {
  const [samples, seen] = [new Map<string, string[]>(), new Set<string>()];
  let allowed: readonly string[] = [];
  let helped: string | undefined;
  const once = (what: string): void => {
    if (seen.has(what)) throw new Error(`twice: ${what}`);
    seen.add(what);
  };
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  for (const line of text.split('\n').slice(0, -1)) {
    const [hash, word, name = '', kind = ''] = line.split(' ');
    if (hash === '#' && word === 'HELP' && NAME.test(name)) once(`help of ${helped = name}`);
    else if (hash === '#' && word === 'TYPE' && name === helped && PARTS[kind]) {
      allowed = PARTS[kind].map((part) => name + part);
      for (const each of new Set([name, ...allowed])) once(`type of ${each}`);
    } else {
      const [, sample = '', labels, value] = SAMPLE.exec(line) ?? [];
      if (!allowed.includes(sample)) throw new Error(`no line of this place: ${line}`);
      once(`${sample}{${labelsOf(labels ?? '').sort().join(',')}}`);
      samples.set(sample, [...samples.get(sample) ?? [], `${labels === undefined ? '' : `{${labels}}`} ${value}`]);
    }
  }
  return samples;
}

function labelsOf(text: string): string[] {
  const [labels, names] = [[] as string[], new Set<string>()];
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length;) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name.startsWith('__') || names.has(name)) throw new Error(`no labels: ${text}`);
    names.add(name);
    labels.push(`${name}="${value}"`);
  }
  return labels;
}
